package main

import (
	"os"

	"github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
	tidwall "github.com/tidwall/wal"
	etcdwal "go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
)

type etcd struct {
	dir  string
	wal  *etcdwal.WAL
	next uint64
}

func openEtcd(dir string) (subject, error) {
	w, err := etcdwal.Create(zap.NewNop(), dir, nil)
	return &etcd{dir: dir, wal: w, next: 1}, err
}

func (e *etcd) append(records [][]byte) error {
	entries := make([]*raftpb.Entry, len(records))
	for i, r := range records {
		entries[i] = &raftpb.Entry{Index: ptr(e.next), Term: ptr(uint64(1)), Data: r}
		e.next++
	}
	return e.wal.Save(&raftpb.HardState{Term: ptr(uint64(1))}, entries)
}

func ptr[T any](v T) *T { return &v }

func (e *etcd) readAll() (int, error) {
	w, err := etcdwal.OpenForRead(zap.NewNop(), e.dir, &walpb.Snapshot{})
	if err != nil {
		return 0, err
	}
	defer w.Close()
	_, _, entries, err := w.ReadAll()
	return len(entries), err
}

func (e *etcd) close() error { return e.wal.Close() }

type hashicorp struct {
	wal  *raftwal.WAL
	next uint64
}

func openHashicorp(dir string) (subject, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w, err := raftwal.Open(dir)
	return &hashicorp{w, 1}, err
}

func (h *hashicorp) append(records [][]byte) error {
	logs := make([]*raft.Log, len(records))
	for i, r := range records {
		logs[i] = &raft.Log{Index: h.next, Term: 1, Data: r}
		h.next++
	}
	return h.wal.StoreLogs(logs)
}

func (h *hashicorp) readAll() (int, error) {
	var log raft.Log
	for i := uint64(1); i < h.next; i++ {
		if err := h.wal.GetLog(i, &log); err != nil {
			return int(i - 1), err
		}
	}
	return int(h.next - 1), nil
}

func (h *hashicorp) close() error { return h.wal.Close() }

type tid struct {
	log  *tidwall.Log
	next uint64
}

func openTidwall(dir string) (subject, error) {
	l, err := tidwall.Open(dir, nil)
	return &tid{l, 1}, err
}

func (t *tid) append(records [][]byte) error {
	if len(records) == 1 {
		t.next++
		return t.log.Write(t.next-1, records[0])
	}
	var b tidwall.Batch
	for _, r := range records {
		b.Write(t.next, r)
		t.next++
	}
	return t.log.WriteBatch(&b)
}

func (t *tid) readAll() (int, error) {
	for i := uint64(1); i < t.next; i++ {
		if _, err := t.log.Read(i); err != nil {
			return int(i - 1), err
		}
	}
	return int(t.next - 1), nil
}

func (t *tid) close() error { return t.log.Close() }
