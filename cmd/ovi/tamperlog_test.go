package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zeebo/blake3"
)

// forgedLog is the first segment of a log, as a forger who knows wal/FORMAT.md takes it apart.
type forgedLog struct {
	head   []byte // 192 bytes: what its signature covers, and the signature
	frames []forgedFrame
	size   int
}

type forgedFrame struct {
	header, payload []byte
	signed          []byte // key and signature, 96 bytes
}

// forgery reads the segment of a victim.
func (v *victim) forgery() *forgedLog {
	v.t.Helper()
	b := v.read("wal/000000000001.wal")
	f := &forgedLog{head: b[:192], size: len(b)}
	for at := 224; at+48 <= len(b) && b[at] != 0; {
		stored := int(binary.LittleEndian.Uint32(b[at+32:]))
		end := at + 48 + (stored+7)/8*8
		f.frames = append(f.frames, forgedFrame{b[at : at+48], b[at+48 : at+48+stored], b[end : end+96]})
		at = end + 96 + 32
	}
	return f
}

// bytes puts the segment together with right checksums and chain values and, with a key, right signatures.
func (f *forgedLog) bytes(key ed25519.PrivateKey) []byte {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	le.PutUint32(f.head[92:], crc32.Checksum(f.head[:92], table))
	sign := func(key ed25519.PrivateKey, out, text []byte, domain ...[]byte) {
		copy(out, key.Public().(ed25519.PublicKey))
		sum := blake3.Sum256(append(text, out[:32]...))
		copy(out[32:], ed25519.Sign(key, append(slices.Concat(domain...), sum[:]...)))
	}
	if key != nil {
		sign(key, f.head[96:], slices.Clone(f.head[:96]), []byte("ovi wal segment v1\n"))
	}
	chain := blake3.Sum256(f.head)
	out := slices.Concat(f.head, chain[:])
	next := uint64(1)
	for _, x := range f.frames {
		count := uint64(le.Uint32(x.header[40:]))
		le.PutUint64(x.header[8:], next)
		le.PutUint32(x.header[32:], uint32(len(x.payload)))
		le.PutUint32(x.header[44:], crc32.Checksum(slices.Concat(f.head[16:32], x.header[:44]), table))
		frame := slices.Concat(x.header, x.payload, make([]byte, (8-len(x.payload)%8)%8))
		if key != nil {
			x.signed = make([]byte, 96)
			sign(key, x.signed, slices.Concat(chain[:], frame), []byte("ovi wal batch v1\n"), f.head[16:32])
		}
		frame = append(frame, x.signed...)
		chain = blake3.Sum256(slices.Concat(chain[:], frame))
		out = slices.Concat(out, frame, chain[:])
		next += count
	}
	return append(out, make([]byte, max(0, f.size-len(out)))...)
}

// named is the first frame of records with a text, which is not compressed.
func (f *forgedLog) named(t *testing.T, text string) int {
	t.Helper()
	i := slices.IndexFunc(f.frames, func(x forgedFrame) bool {
		return x.header[4] == 1 && x.header[5] == 0 && bytes.Contains(x.payload, []byte(text))
	})
	if i < 0 {
		t.Fatalf("no plain batch has %q", text)
	}
	return i
}

// say makes a record say something else of the same length.
func (f *forgedLog) say(t *testing.T, old, other string) {
	t.Helper()
	x := &f.frames[f.named(t, old)]
	x.payload = bytes.Replace(slices.Clone(x.payload), []byte(old), []byte(other), 1)
	for at := 0; at < len(x.payload); {
		n := int(binary.LittleEndian.Uint32(x.payload[at:]))
		sum := crc32.Checksum(x.payload[at+8:at+8+n], crc32.MakeTable(crc32.Castagnoli))
		binary.LittleEndian.PutUint32(x.payload[at+4:], sum)
		at += 8 + n
	}
}

// foreignKey is a forger's own.
func foreignKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
}

// rewrite changes the log, signs it with a key, and removes the hint of where it ends.
func (v *victim) rewrite(key ed25519.PrivateKey, change func(*forgedLog)) {
	v.t.Helper()
	f := v.forgery()
	change(f)
	v.write("wal/000000000001.wal", f.bytes(key))
	v.remove("wal/lock")
}

// flip changes a byte of the log: so many behind the start of a part of it.
func (v *victim) flip(at int) {
	b := v.read("wal/000000000001.wal")
	b[at] ^= 0x20
	v.write("wal/000000000001.wal", b)
}

// frameAt is where a frame begins; its chain value ends at the next one's begin.
func (f *forgedLog) frameAt(n int) int {
	at := 224
	for _, x := range f.frames[:n] {
		at += 48 + (len(x.payload)+7)/8*8 + 96 + 32
	}
	return at
}

func (v *victim) path(name string) string { return filepath.Join(v.dir, ".ovi", name) }

func (v *victim) read(name string) []byte {
	v.t.Helper()
	b, err := os.ReadFile(v.path(name))
	if err != nil {
		v.t.Fatal(err)
	}
	return b
}

func (v *victim) write(name string, b []byte) {
	v.t.Helper()
	if err := os.WriteFile(v.path(name), b, 0o600); err != nil {
		v.t.Fatal(err)
	}
}

func (v *victim) remove(name string) {
	v.t.Helper()
	if err := os.RemoveAll(v.path(name)); err != nil {
		v.t.Fatal(err)
	}
}

// put replaces a file or folder by that of another data directory.
func (v *victim) put(name, from string) {
	v.t.Helper()
	v.remove(name)
	source := filepath.Join(from, ".ovi", name)
	info, err := os.Stat(source)
	if err != nil {
		v.t.Fatal(err)
	}
	if !info.IsDir() {
		b, err := os.ReadFile(source)
		if err != nil {
			v.t.Fatal(err)
		}
		v.write(name, b)
		return
	}
	if err := os.CopyFS(v.path(name), os.DirFS(source)); err != nil {
		v.t.Fatal(err)
	}
}
