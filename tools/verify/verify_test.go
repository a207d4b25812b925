package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// deleted is the proof of a database that two people allowed to delete; `ovi prove` wrote it.
func deleted(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/deleted-database.proof")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestADeletedDatabaseIsProved(t *testing.T) {
	text := deleted(t)
	p, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := verify(text, hex.EncodeToString(p.anchor.key), p.Checkpoint, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"rds/orders: it is gone: deleted by root at 2026-11-28", "approved by ada:", "approved by bob:", "loaded by root:",
		`"action":"delete","proposed":"delete","reason":"unwanted"`, `policies {"stack shop":"f5093e89`, "Verified: 18 records in 15 batches",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
	for _, other := range []string{strings.Repeat("0", 64), "x"} {
		if err := verify(text, other, "", io.Discard); err == nil {
			t.Errorf("it is taken for signed by %s", other)
		}
		if err := verify(text, "", other, io.Discard); err == nil {
			t.Errorf("it is taken for under the checkpoint %s", other)
		}
	}
}

// TestEveryByteCounts changes, removes or doubles each byte.
func TestEveryByteCounts(t *testing.T) {
	text := deleted(t)
	for i, b := range text {
		ways := [][]byte{{b ^ 1}, {b ^ 0x20}, {b ^ 0x80}, {b + 1}, {}, {b, b}}
		x := ways[i%len(ways)]
		if err := verify(slices.Concat(text[:i], x, text[i+1:]), "", "", io.Discard); err == nil {
			t.Fatalf("byte %d is %q instead of %q, and the proof is taken", i, x, b)
		}
	}
	for _, end := range []string{"\n", " ", "{}"} {
		if err := verify(append(slices.Clone(text), end...), "", "", io.Discard); err == nil {
			t.Errorf("%q behind the end is taken", end)
		}
	}
}

// resigned is the proof after a change of one of its lines, signed again by a forger who has a key of
// their own: only what the hashes and the records prove is left.
func resigned(t *testing.T, line int, old, replacement string) []byte {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	lines := bytes.SplitAfter(deleted(t), []byte("\n"))
	lines = lines[:len(lines)-2]
	if !bytes.Contains(lines[line], []byte(old)) {
		t.Fatalf("line %d has no %q", line, old)
	}
	lines[line] = bytes.Replace(lines[line], []byte(old), []byte(replacement), 1)
	var p proof
	if err := json.Unmarshal(lines[0], &p); err != nil {
		t.Fatal(err)
	}
	lines[0] = bytes.Replace(lines[0], []byte(p.Checkpoint), []byte(signedBy(t, key, p.Checkpoint)), 1)
	text := slices.Concat(lines...)
	sum := sha256.Sum256(text)
	signature := ed25519.Sign(key, append([]byte("ovi statement v1\novi proof v1\n"), sum[:]...))
	return fmt.Appendf(text, "{\"type\":\"signature\",\"signature\":\"%x\"}\n", signature)
}

func signedBy(t *testing.T, key ed25519.PrivateKey, line string) string {
	t.Helper()
	part := strings.Split(line, ":")
	id, _ := hex.DecodeString(part[1])
	chain, _ := hex.DecodeString(part[4])
	root, _ := hex.DecodeString(part[6])
	var last, at, batches uint64
	if _, err := fmt.Sscan(part[2]+" "+part[3]+" "+part[5], &last, &at, &batches); err != nil {
		t.Fatal(err)
	}
	text := slices.Concat([]byte("ovi wal anchor v1\novi wal checkpoint v1\n"), id, number(last), number(at), chain, number(batches), root)
	b64 := base64.RawURLEncoding
	part[7], part[8] = b64.EncodeToString(key.Public().(ed25519.PublicKey)), b64.EncodeToString(ed25519.Sign(key, text))
	return strings.Join(part, ":")
}

func number(n uint64) (b []byte) {
	for i := range 8 {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

// TestAForgerWithAKeyIsFound: what is changed and signed again does not lead to the root, or contradicts
// itself; and the key is another.
func TestAForgerWithAKeyIsFound(t *testing.T) {
	honest, err := read(deleted(t))
	if err != nil {
		t.Fatal(err)
	}
	same := resigned(t, 0, `"type"`, `"type"`)
	if err := verify(same, hex.EncodeToString(honest.anchor.key), "", io.Discard); err == nil || !strings.Contains(err.Error(), "not by") {
		t.Errorf("another key: %v", err)
	}
	if err := verify(same, "", "", io.Discard); err != nil {
		t.Fatalf("the forging of this test is wrong: %v", err)
	}
	for _, x := range []struct {
		name     string
		line     int
		old, new string
		want     string
	}{
		{"the root", 0, ":b24b2483", ":b24b2488", "not in the log"},
		{"the size of the tree", 0, ":18:b24b", ":9:b24b", ""},
		{"the identity of the log", 0, ":3d89", ":3d8e", "of this log"},
		{"a record fewer", 0, ",28,29]", ",29]", "omits it"},
		{"a record of another batch", 0, ",29]", ",29,30]", "not in the proof"},
		{"the order", 0, "[1,3,", "[3,1,", "not in order"},
		{"another resource", 0, honest.Ref, honest.Ref + "-1", "not about"},
		{"the version", 0, `"version":1`, `"version":2`, "version 1"},
		{"a frame", 3, `"frame":"T1ZJRgEA`, `"frame":"T1ZJRgEB`, "not in the log"},
		{"the chain before", 3, `"before":"0`, `"before":"d`, "not in the log"},
		{"the place of a batch", 3, `"index":2`, `"index":3`, "not in the log"},
		{"no path", 3, `"path":["`, `"path":[],"x":["`, "too short"},
		{"a hash of the path", 3, `"path":["`, `"path":["00`, "digits"},
		{"another line", 3, `"type":"batch"`, `"type":"botch"`, "not a batch"},
	} {
		err := verify(resigned(t, x.line, x.old, x.new), "", "", io.Discard)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}

// TestRecordsThatContradictEachOther: what proves must also fit.
func TestRecordsThatContradictEachOther(t *testing.T) {
	at := func(seq uint64, event, data string) record {
		return record{Seq: seq, In: "a", Event: event, Data: json.RawMessage(data)}
	}
	approved := at(1, "approved", `{"who":"ada","digest":"d"}`)
	started := `{"key":"k","action":"delete","approval":{"digest":"d","by":[{"who":"ada","seq":1,"instance":"a"}]}}`
	finished := at(3, "finished", `{"key":"k","action":"delete","outcome":"done"}`)
	for _, x := range []struct {
		name    string
		first   uint64
		records []record
		want    string
	}{
		{"fits", 1, []record{approved, at(2, "started", started), finished}, ""},
		{"no approval", 1, []record{at(2, "started", started), finished}, "not of its plan"},
		{"an approval of something else", 1, []record{at(1, "approved", `{"who":"ada","digest":"e"}`), at(2, "started", started)}, "not of its plan"},
		{"an approval by another", 1, []record{at(1, "approved", `{"who":"bob","digest":"d"}`), at(2, "started", started)}, "not of its plan"},
		{"an approval that was trimmed", 2, []record{at(2, "started", started), finished}, ""},
		{"no start", 1, []record{finished}, "did not start"},
		{"an approval that does not count", 1, []record{approved, at(2, "started", started), at(3, "refused", `{"from":1,"to":1}`)}, "not of its plan"},
		{"a start of another resource", 1, []record{at(2, "started", `{"ref":"x","key":"k","action":"create"}`)}, "about x"},
		{"an adoption of another resource", 1, []record{at(2, "adopted", `{"ref":"x","id":"i"}`)}, "about x"},
		{"a loss of another resource", 1, []record{at(2, "lost", `{"ref":"x","id":"i"}`)}, "about x"},
		{"a move of another resource", 1, []record{at(2, "moved", `{"ref":"x","from":"y","id":"i"}`)}, "about x"},
		{"a refusal of nothing", 1, []record{at(3, "refused", `{}`)}, "record 3"},
	} {
		_, err := tell(proof{First: x.first, records: x.records})
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}

// TestBLAKE3 uses the vectors of the reference implementation: bytes that count to 250 again and again.
func TestBLAKE3(t *testing.T) {
	for n, want := range map[int]string{
		0:      "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
		1:      "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
		64:     "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
		65:     "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
		1023:   "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
		1024:   "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
		1025:   "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
		2049:   "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
		3073:   "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3",
		7169:   "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817",
		102400: "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
	} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i % 251)
		}
		if got := blake3(b); hex.EncodeToString(got[:]) != want {
			t.Errorf("%d bytes: %x, want %s", n, got, want)
		}
	}
}

// TestS2 decodes one of each element, and refuses what is cut or too long.
func TestS2(t *testing.T) {
	for _, x := range []struct{ block, want string }{
		{"\x03\x08abc", "abc"},
		{"\x08\x0cabcd\x01\x04", "abcdabcd"},                                                 // copy of 4, offset of 11 bits
		{"\x0a\x0cabcd\x16\x04\x00", "abcdabcdab"},                                           // copy of 6, offset of 16 bits
		{"\x0a\x0cabcd\x17\x04\x00\x00\x00", "abcdabcdab"},                                   // offset of 32 bits
		{"\x0c\x0cabcd\x01\x04\x01\x00", "abcdabcdabcd"},                                     // the same offset again
		{"\x15\x0cabcd\x01\x04\x15\x00\x05", "abcdabcdabcdabcdabcda"},                        // with a length of a byte
		{"\x49\xf0\x3c" + strings.Repeat("z", 61) + "\x2e\x01\x00", strings.Repeat("z", 73)}, // a long literal
	} {
		got, err := s2([]byte(x.block), len(x.want))
		if err != nil || string(got) != x.want {
			t.Errorf("%q: %q, %v, want %q", x.block, got, err, x.want)
		}
		if _, err := s2([]byte(x.block), len(x.want)+1); err == nil {
			t.Errorf("%q is taken for longer", x.block)
		}
		for end := range len(x.block) {
			if got, err := s2([]byte(x.block[:end]), len(x.want)); err == nil {
				t.Errorf("%q, cut at %d, is %q", x.block, end, got)
			}
		}
	}
}

func FuzzS2(f *testing.F) {
	f.Add([]byte("\x0c\x0cabcd\x01\x04\x01\x00"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, size := range []int{0, 12, 4096} {
			_, _ = s2(b, size)
			_, _ = records(b, [16]byte{}, 0)
		}
	})
}
