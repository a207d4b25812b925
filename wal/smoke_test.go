package wal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/wal"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir() + "/log"
	l, err := wal.Open(dir, wal.WithSegmentSize(8192))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		if _, err := l.Append(context.Background(), []byte(fmt.Sprintf("record %d", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = wal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for b, err := range l.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range b.Records {
			n++
			if string(r) != fmt.Sprintf("record %d", n) {
				t.Fatalf("got %q", r)
			}
		}
	}
	if n != 300 {
		t.Fatal(n)
	}
	first, err := l.Trim(200)
	t.Log(first, err, l.Torn(), l.Frontier())
	for b, err := range l.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		t.Log(b.First)
		break
	}
	for _, err := range l.Read(1) {
		t.Log(err)
	}
	c, err := l.Checkpoint()
	t.Log(c, err)
	if _, err := wal.ParseCheckpoint(c.String()); err != nil {
		t.Fatal(err)
	}
	l.Close()
	l, err = wal.Open(dir, wal.WithFrontier(c.Seq, c.Chain))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
