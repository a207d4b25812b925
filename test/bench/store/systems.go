package main

import "context"

// A record is one resource: a key of about 36 bytes, a value of about 600.
type record struct {
	key   string
	value []byte
}

// A system keeps records through revisions, each way its makers would.
type system interface {
	// write makes one revision of records in key order, durable when it returns.
	write(ctx context.Context, rev int, records []record) error
	// liveState calls see with each record at a revision; 0 is now.
	liveState(ctx context.Context, rev int, see func(key, value []byte)) error
	// history calls see with each version of one key.
	history(ctx context.Context, key string, see func(value []byte)) error
	close() error
}

type opener func(ctx context.Context, dir string) (system, error)

// contenders, in the order of the table. What one cannot do returns errNot.
func contenders() []struct {
	name string
	open opener
} {
	return []struct {
		name string
		open opener
	}{
		{"ovi storage/bolt", openOvi},
		{"bbolt, newest only", openNewest},
		{"bbolt, key and revision", openKeyMajor},
		{"pebble, key and revision", openPebble},
		{"SQLite, two tables", openSQLite},
		{"etcd, embedded", openEtcd},
	}
}
