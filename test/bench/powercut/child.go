//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/ovi-project/ovi/wal"
)

// segmentSize is small, so that cuts fall into rotations too.
const segmentSize = 32 << 10

// content is what record number seq holds; some are long enough to be torn.
func content(seq wal.Seq) []byte {
	b := fmt.Appendf(nil, "record %d ", seq)
	if seq%5 == 0 {
		b = append(b, bytes.Repeat([]byte{byte(seq), byte(seq >> 3), byte(seq * 7)}, 1000)...)
	}
	return b
}

func logOptions() []wal.Option {
	return []wal.Option{wal.WithSegmentSize(segmentSize), wal.WithPrefill(8 << 10)}
}

// logTraffic appends to a bare log; what record n holds follows from n.
type logTraffic struct{ started, acknowledged wal.Seq }

// write implements traffic: it prints its position after each append.
func (t *logTraffic) write(dir string) error {
	l, err := wal.Open(dir, logOptions()...)
	if err != nil {
		return err
	}
	for {
		next := l.Frontier().Seq + 1
		records := [][]byte{content(next)}
		for len(records) < 1+int(next%4) {
			records = append(records, content(next+wal.Seq(len(records))))
		}
		b, err := l.Append(context.Background(), records...)
		if err != nil {
			return nil // the power is off
		}
		fmt.Println(uint64(b.Last))
	}
}

// hear implements traffic.
func (t *logTraffic) hear(line string, sum *tally) error {
	seq, err := strconv.ParseUint(line, 10, 64)
	if err != nil {
		return err
	}
	sum.acknowledged += int(seq) - int(t.acknowledged)
	t.acknowledged = wal.Seq(seq)
	return nil
}

// check implements traffic.
func (t *logTraffic) check(dir string, sum *tally) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		sum.lost += t.forget()
		return nil
	}
	l, err := wal.Open(dir, logOptions()...)
	if err != nil {
		return err
	}
	if l.TornWrite() != nil {
		sum.torn++
	}
	for b, err := range l.Read(0) {
		if err != nil {
			return err
		}
		for i, record := range b.Records {
			sum.checked++
			if string(record) != string(content(b.First+wal.Seq(i))) {
				return fmt.Errorf("record %d is not what was appended", b.First+wal.Seq(i))
			}
		}
	}
	end := l.Frontier().Seq
	sum.lost += max(0, int(t.acknowledged)-int(end))
	t.started, t.acknowledged = end, end
	if err := l.Close(); err != nil {
		return err
	}
	_, err = wal.Verify(dir, nil)
	return err
}

// forget implements traffic.
func (t *logTraffic) forget() int {
	n := int(t.acknowledged - t.started)
	t.started, t.acknowledged = 0, 0
	return n
}
