package main

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// proof is a proof whose signature, checkpoint and hashes are right.
type proof struct {
	Type            string
	Version         int
	Ref, Checkpoint string
	First           uint64
	Records         []uint64

	anchor  anchor
	batches int
	records []record // those of Records
}

// anchor is a checkpoint line.
type anchor struct {
	log           [16]byte
	last, batches uint64
	at            time.Time
	root          []byte
	key           ed25519.PublicKey
}

// read checks everything about a proof but what its records say.
func read(text []byte) (p proof, err error) {
	end := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	lines := bytes.Split(text[:max(end-1, 0)], []byte("\n"))
	if err := json.Unmarshal(lines[0], &p); err != nil || p.Type != "proof" || p.Version != 1 || len(lines) < 2 {
		return p, errors.New("the file is not a proof of version 1")
	}
	if p.anchor, err = checkpoint(p.Checkpoint); err != nil {
		return p, fmt.Errorf("the checkpoint: %w", err)
	}
	var seal struct{ Signature string }
	sum := sha256.Sum256(text[:end])
	_ = json.Unmarshal(text[end:], &seal) // what is not the line below is refused
	signature, _ := hex.DecodeString(seal.Signature)
	want := fmt.Sprintf("{\"type\":\"signature\",\"signature\":\"%x\"}\n", signature)
	if string(text[end:]) != want || !ed25519.Verify(p.anchor.key, append([]byte("ovi statement v1\novi proof v1\n"), sum[:]...), signature) {
		return p, errors.New("the signature does not fit: the proof was changed")
	}
	var all []record
	for i, line := range lines[1:] {
		found, err := p.prove(line, i)
		if err == nil && len(all) > 0 && found[0].Seq <= all[len(all)-1].Seq {
			err = errors.New("it is not in order")
		}
		if err != nil {
			return p, fmt.Errorf("line %d: %w", i+2, err)
		}
		all, p.batches = append(all, found...), i+1
	}
	return p, p.choose(all)
}

// checkpoint reads a checkpoint line and checks its signature.
func checkpoint(text string) (a anchor, err error) {
	part := strings.Split(text, ":")
	if len(part) != 9 || part[0] != "ovi-checkpoint-v1" {
		return a, errors.New("the text is not a checkpoint line")
	}
	id, err1 := fixed(part[1], len(a.log))
	last, err2 := strconv.ParseUint(part[2], 10, 64)
	at, err3 := strconv.ParseInt(part[3], 10, 64)
	chain, err4 := fixed(part[4], 32)
	batches, err5 := strconv.ParseUint(part[5], 10, 64)
	root, err6 := fixed(part[6], 32)
	key, err7 := base64.RawURLEncoding.DecodeString(part[7])
	signature, err8 := base64.RawURLEncoding.DecodeString(part[8])
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return a, err
	}
	le := binary.LittleEndian
	signed := slices.Concat([]byte("ovi wal anchor v1\novi wal checkpoint v1\n"), id)
	signed = le.AppendUint64(le.AppendUint64(signed, last), uint64(at))
	signed = append(le.AppendUint64(append(signed, chain...), batches), root...)
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, signed, signature) {
		return a, errors.New("its signature does not fit")
	}
	return anchor{[16]byte(id), last, batches, time.Unix(0, at), root, key}, nil
}

// fixed decodes hexadecimal digits of so many bytes.
func fixed(text string, size int) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("%q does not have %d hexadecimal digits", text, 2*size)
	}
	return b, nil
}

// prove checks that a batch leads to the root of the checkpoint, and returns its records.
func (p *proof) prove(text []byte, batch int) ([]record, error) {
	var b struct {
		Type, Before string
		Index        uint64
		Frame        []byte
		Path         []string
	}
	if err := json.Unmarshal(text, &b); err != nil || b.Type != "batch" {
		return nil, errors.New("the line is not a batch")
	}
	before, err := fixed(b.Before, 32)
	var path [][]byte
	for _, h := range b.Path {
		hash, err2 := fixed(h, 32)
		path, err = append(path, hash), cmp.Or(err, err2)
	}
	if err != nil {
		return nil, err
	}
	if got, err := root(before, b.Frame, b.Index, p.anchor.batches, path); err != nil || !bytes.Equal(got, p.anchor.root) {
		return nil, cmp.Or(err, errors.New("it is not in the log of the checkpoint"))
	}
	return records(b.Frame, p.anchor.log, batch)
}

// choose takes the records that tell of the resource; each batch must have one.
func (p *proof) choose(all []record) error {
	if !slices.IsSorted(p.Records) {
		return errors.New("the list of records is not in order")
	}
	used := map[int]bool{}
	for _, r := range all {
		_, listed := slices.BinarySearch(p.Records, r.Seq)
		if !listed && acts(r.Event) && bytes.Contains(r.Data, p.quoted()) {
			return fmt.Errorf("record %d (%s) is about the resource, and the list of records omits it", r.Seq, r.Event)
		}
	}
	for _, seq := range p.Records {
		i, ok := slices.BinarySearchFunc(all, seq, func(r record, n uint64) int { return cmp.Compare(r.Seq, n) })
		if !ok {
			return fmt.Errorf("record %d is not in the proof", seq)
		}
		used[all[i].batch] = true
		p.records = append(p.records, all[i])
	}
	if len(used) != p.batches {
		return errors.New("the list of records does not fit the batches")
	}
	return nil
}
