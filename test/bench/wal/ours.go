package main

import (
	"context"

	"github.com/ovi-project/ovi/wal"
)

type ovi struct{ log *wal.Log }

func openOvi(opts ...wal.Option) func(dir string) (subject, error) {
	return func(dir string) (subject, error) {
		l, err := wal.Open(dir+"/log", append([]wal.Option{wal.WithKeyFile(dir + "/key")}, opts...)...)
		return ovi{l}, err
	}
}

func (o ovi) append(records [][]byte) error {
	_, err := o.log.Append(context.Background(), records...)
	return err
}

func (o ovi) appendShared(record []byte) error { return o.append([][]byte{record}) }

func (o ovi) readAll() (int, error) {
	n := 0
	for b, err := range o.log.Read(0) {
		if err != nil {
			return n, err
		}
		n += len(b.Records)
	}
	return n, nil
}

func (o ovi) close() error { return o.log.Close() }
