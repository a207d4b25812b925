package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/storage"
)

func TestVersionsComeBackAsWritten(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		key := rapid.String().Draw(t, "key")
		v := version{
			modified: storage.Revision(rapid.Int64Range(1, 1<<60).Draw(t, "modified")),
			value:    rapid.SliceOf(rapid.Byte()).Draw(t, "value"),
		}
		v.created = storage.Revision(rapid.Int64Range(1, int64(v.modified)).Draw(t, "created"))
		if rapid.Bool().Draw(t, "prev") {
			v.flags |= flagPrev
			v.ordinal = rapid.Uint64().Draw(t, "ordinal")
			v.jump = storage.Revision(rapid.Int64Range(0, 1<<60).Draw(t, "jump"))
		}
		if rapid.Bool().Draw(t, "leased") {
			v.flags |= flagLease
			v.underLease = storage.LeaseID(rapid.Int64().Draw(t, "lease"))
		}
		raw := appendVersion(nil, key, &v)
		if len(raw) > len(v.value)+encodedMax {
			t.Fatalf("%d bytes for a value of %d", len(raw), len(v.value))
		}
		got, err := decodeVersion([]byte(key), raw)
		if err != nil || !bytes.Equal(got.value, v.value) {
			t.Fatalf("%v: got %+v, want %+v", err, got, v)
		}
		if got.value, v.value = nil, nil; fmt.Sprint(got) != fmt.Sprint(v) {
			t.Fatalf("got %+v, want %+v", got, v)
		}
		bit := rapid.IntRange(0, 8*len(raw)-1).Draw(t, "bit")
		raw[bit/8] ^= 1 << (bit % 8)
		if _, err := decodeVersion([]byte(key), raw); err == nil {
			t.Fatalf("bit %d was flipped without an error", bit)
		}
		raw[bit/8] ^= 1 << (bit % 8)
		if _, err := decodeVersion([]byte(key+"x"), raw); err == nil {
			t.Fatal("it passes under another key")
		}
	})
}

// The jumps are those of Myers' stack, by his own definition, and lead anywhere quickly.
func TestJumpsAreLogarithmic(t *testing.T) {
	const n = 5000
	jump := make([]uint64, n)
	for i := uint64(1); i < n; i++ {
		p := i - 1
		jump[i] = p
		if q := jump[p]; p-q == q-jump[q] && p > 0 {
			jump[i] = jump[q]
		}
		if p == 0 {
			jump[i] = 0
		}
		if got := jumpTarget(i); got != jump[i] {
			t.Fatalf("version %d jumps to %d, want %d", i, got, jump[i])
		}
	}
	for _, want := range []uint64{0, 1, 77, 2500, 4998} {
		steps := 0
		for at := uint64(n - 1); at > want; steps++ {
			if jump[at] >= want {
				at = jump[at]
			} else {
				at--
			}
		}
		if steps > 40 {
			t.Errorf("%d steps from %d to %d", steps, n-1, want)
		}
	}
}

func FuzzVersion(f *testing.F) {
	f.Add([]byte("obs/a"), appendVersion(nil, "obs/a", &version{modified: 7, created: 3, flags: flagPrev, ordinal: 2, value: []byte("x")}))
	f.Add([]byte("claim/a"), appendVersion(nil, "claim/a", &version{modified: 7, created: 7, flags: flagLease, underLease: 9}))
	f.Add([]byte(""), []byte{})
	f.Fuzz(func(t *testing.T, key, raw []byte) {
		decodeVersion(key, raw)
		if len(raw) > 4 { // past the sum too
			binary.LittleEndian.PutUint32(raw, sumOf(key, raw[4:]))
			if v, err := decodeVersion(key, raw); err == nil && len(v.value) > len(raw) {
				t.Fatalf("a value of %d bytes in %d", len(v.value), len(raw))
			}
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add(state{revision: 5, keys: 2}.encode())
	f.Add([]byte("ovistore\x00\x02"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		st, err := decodeState(raw)
		if err == nil && !bytes.Equal(st.encode(), raw) {
			t.Fatalf("%x was taken for %+v", raw, st)
		}
		if err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, storage.ErrForeign) && !errors.Is(err, storage.ErrNewer) {
			t.Fatalf("an error of no kind: %v", err)
		}
	})
}

func FuzzLeaseAndGroup(f *testing.F) {
	f.Add(leaseKey(3), lease{time.Minute, time.Hour, "boot"}.encode(leaseKey(3)))
	f.Add([]byte("=obs/"), make([]byte, groupSize))
	f.Fuzz(func(t *testing.T, key, raw []byte) {
		decodeLease(key, raw)
		if len(key) > 0 {
			decodeGroup(key, raw)
		}
	})
}

func FuzzChangedKeys(f *testing.F) {
	f.Add([]byte{0, 1, 2}, []byte("\x00\x00\x00\x00\x00\x00\x01a\x01\x01b"))
	f.Add([]byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, at, raw []byte) {
		seen := 0
		see := func(key []byte) (bool, error) { seen += len(key); return seen > 1<<20, nil }
		eachKey(at, raw, see)
		if len(raw) > 4 {
			binary.LittleEndian.PutUint32(raw, sumOf(at, raw[4:]))
			eachKey(at, raw, see)
		}
	})
}

// Whatever the page says, looking at its bounds stays within them.
func FuzzPageBounds(f *testing.F) {
	page := make([]byte, 256)
	page[8], page[10] = pageLeaf, 1
	page[pageHeader] = isBucket
	page[pageHeader+4], page[pageHeader+8], page[pageHeader+12] = 16, 4, 40
	f.Add(page)
	page = bytes.Clone(page)
	page[8] = pageBranch
	f.Add(page)
	f.Fuzz(func(_ *testing.T, page []byte) { checkBounds(page) })
}

func TestTheLogOfARevisionComesBack(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.StringMatching(`[ab/]{1,12}`), func(s string) string { return s }).Draw(t, "keys")
		if rapid.Bool().Draw(t, "long") { // several parts
			for i := range 40 {
				keys = append(keys, fmt.Sprintf("%04d%s", i, strings.Repeat("x", 1500)))
			}
		}
		if len(keys) == 0 {
			t.Skip("a revision changes something")
		}
		slices.Sort(keys)
		b := memBucket{}
		if err := putLog(b, 7, keys); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := changed(b, 7, func(key []byte) (bool, error) { got = append(got, string(key)); return false, nil })
		if err != nil || !slices.Equal(got, keys) {
			t.Fatalf("%v: got %d keys, want %d", err, len(got), len(keys))
		}
		if len(b) > 1 { // a part that is missing is found
			delete(b, string(logKey(7, uint16(len(b)-1))))
			if err := changed(b, 7, func([]byte) (bool, error) { return false, nil }); err == nil {
				t.Fatal("a part is missing without an error")
			}
		}
	})
}

type memBucket map[string][]byte

func (b memBucket) Get(key []byte) []byte       { return b[string(key)] }
func (b memBucket) Put(key, value []byte) error { b[string(key)] = value; return nil }
