package main

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/wal"
)

// raw is the limit: length, CRC32C, record, in a file that was filled with
// zeros before (or not); one write and one fdatasync an append, nothing else.
type raw struct {
	f   *os.File
	at  int64
	buf []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openRaw(zeros int) func(dir string) (subject, error) {
	return func(dir string) (subject, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(dir+"/raw", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		block := make([]byte, 1<<20)
		for i := range zeros {
			if _, err := f.WriteAt(block, int64(i)<<20); err != nil {
				return nil, err
			}
		}
		return &raw{f: f}, f.Sync()
	}
}

func (r *raw) append(records [][]byte) error {
	b := r.buf[:0]
	for _, record := range records {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(record)))
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(record, castagnoli))
		b = append(b, record...)
	}
	r.buf = b
	if _, err := r.f.WriteAt(b, r.at); err != nil {
		return err
	}
	r.at += int64(len(b))
	return unix.Fdatasync(int(r.f.Fd()))
}

func (r *raw) readAll() (int, error) {
	b, err := io.ReadAll(io.NewSectionReader(r.f, 0, r.at))
	n := 0
	for ; err == nil && len(b) > 0; n++ {
		size := binary.LittleEndian.Uint32(b)
		if crc32.Checksum(b[8:8+size], castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
			err = errors.New("checksum")
		}
		b = b[8+size:]
	}
	return n, err
}

func (r *raw) close() error { return r.f.Close() }

func contenders() []contender {
	return []contender{
		{"ovi", openOvi()},
		{"ovi, no compression", openOvi(wal.WithoutCompression())},
		{"raw file, filled with zeros", openRaw(24)},
		{"raw file, growing", openRaw(0)},
	}
}
