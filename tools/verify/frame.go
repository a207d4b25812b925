package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"
)

// record is a record of the audit log.
type record struct {
	Seq   uint64 `json:"-"`
	batch int    // of the proof
	V     int
	At    time.Time
	By    string `json:"user"`
	In    string `json:"instance"`
	Event string
	Data  json.RawMessage
}

// records checks a frame, which has no chain value at its end, and decodes its records. The tree proves the
// frame, so its own key and signature, 96 bytes, are not verified again.
func records(frame []byte, log [16]byte, batch int) (out []record, err error) {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	if len(frame) < 48 || string(frame[:5]) != "OVIF\x01" || le.Uint32(frame[44:]) != crc32.Checksum(slices.Concat(log[:], frame[:44]), table) {
		return nil, errors.New("the file is not a batch of records of this log")
	}
	stored, plain, count := int(le.Uint32(frame[32:])), int(le.Uint32(frame[36:])), le.Uint32(frame[40:])
	if count == 0 || max(stored, plain) > 256<<20 || len(frame) != 48+(stored+7)/8*8+96 || len(bytes.Trim(frame[48+stored:len(frame)-96], "\x00")) > 0 {
		return nil, errors.New("its length is wrong")
	}
	payload := frame[48 : 48+stored]
	switch coding := le.Uint32(frame[4:]) >> 8; {
	case coding == 1:
		payload, err = s2(payload, plain)
	case coding != 0 || stored != plain:
		err = errors.New("its coding is unknown")
	}
	for first := le.Uint64(frame[8:]); err == nil && count > 0; count-- {
		if len(payload) < 8 || uint64(le.Uint32(payload)) > uint64(len(payload)-8) {
			return nil, errors.New("a record is cut off")
		}
		text := payload[8 : 8+le.Uint32(payload)]
		r := record{Seq: first + uint64(len(out)), batch: batch}
		if le.Uint32(payload[4:]) != crc32.Checksum(text, table) || json.Unmarshal(text, &r) != nil || r.V != 2 {
			return nil, fmt.Errorf("record %d is damaged, or not of format 2", r.Seq)
		}
		out, payload = append(out, r), payload[8+len(text):]
	}
	if len(payload) > 0 {
		return nil, cmp.Or(err, errors.New("something follows its records"))
	}
	return out, err
}

// root is that of the tree to which a batch leads: RFC 9162, section 2.1.3.2.
func root(before, frame []byte, index, size uint64, path [][]byte) ([]byte, error) {
	end := blake3(slices.Concat(before, frame))
	hash := sha256.Sum256(slices.Concat([]byte{0}, end[:]))
	at, last := index, size-1
	for _, p := range path {
		if last == 0 {
			return nil, errors.New("its path is too long")
		}
		pair := slices.Concat([]byte{1}, hash[:], p)
		if at%2 == 1 || at == last {
			pair = slices.Concat([]byte{1}, p, hash[:])
			for at%2 == 0 && at != 0 {
				at, last = at/2, last/2
			}
		}
		hash, at, last = sha256.Sum256(pair), at/2, last/2
	}
	if index >= size || last != 0 {
		return nil, errors.New("its path is too short")
	}
	return hash[:], nil
}
