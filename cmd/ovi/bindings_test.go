package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// bindings keeps the rows of a store that bind resources, or puts them back as they were, as
// an attacker does who can write the store and not the audit log: bindings keep|cut STORE.
func bindings() func(*testscript.TestScript, bool, []string) {
	kept := map[string][]storage.Op{} // by the folder of the script: scripts run side by side
	return func(ts *testscript.TestScript, _ bool, args []string) {
		if len(args) != 2 || args[0] != "keep" && args[0] != "cut" {
			ts.Fatalf("usage: bindings keep|cut STORE")
		}
		ctx, at := context.Background(), ts.Getenv("WORK")
		s, err := bolt.Open(ts.MkAbs(args[1]))
		ts.Check(err)
		defer func() { ts.Check(s.Close()) }()
		if args[0] == "cut" {
			_, err := s.Commit(ctx, storage.Tx{Ops: kept[at]})
			ts.Check(err)
			return
		}
		for _, prefix := range []string{rows.KeyBinding, rows.KeyBound, rows.KeyIdentity} {
			all, _, err := s.Range(ctx, prefix, storage.Now)
			ts.Check(err)
			for e, err := range all {
				ts.Check(err)
				kept[at] = append(kept[at], storage.Op{Key: e.Key, Value: e.Value})
			}
		}
	}
}
