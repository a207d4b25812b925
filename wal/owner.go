package wal

import (
	"crypto/ed25519"
	"fmt"
	"slices"
)

// ForeignError is returned for a log that does not end with a signature of the own key or of a trusted
// one: another instance wrote it, or something was appended to it by others. Nothing was changed.
type ForeignError struct {
	Dir string
	ID  [16]byte          // of the log
	Seq Seq               // the last record
	Key ed25519.PublicKey // that signed it
	Own ed25519.PublicKey // nil if there is none
	// Notice: it is the notice of a trim that this key signed, and not the last record.
	Notice bool
}

func (e *ForeignError) Error() string {
	what := fmt.Sprintf("the log up to record %d", e.Seq)
	if e.Notice {
		what = "the notice of the trim"
	}
	own := "there is no own key"
	if e.Own != nil {
		own = "the own key is " + FormatPublicKey(e.Own)
	}
	return fmt.Sprintf("wal: %s: %s is signed by the key %s, and %s", e.Dir, what, FormatPublicKey(e.Key), own)
}

// owner decides which signatures count.
type owner struct {
	dir     string
	own     ed25519.PublicKey // nil if there is none
	trusted []ed25519.PublicKey
	any     bool // a log that is only read accepts each valid signature, if no key is named
}

// accepts reports whether a key is own or trusted.
func (w owner) accepts(key ed25519.PublicKey) bool {
	is := func(k ed25519.PublicKey) bool { return k.Equal(key) }
	return w.any || w.own != nil && is(w.own) || slices.ContainsFunc(w.trusted, is)
}

// admit checks the signature at the end of a log, which with the chain proves everything before it.
func (w owner) admit(id logID, at position, s signed) error {
	if !s.valid(id) {
		return &CorruptError{
			Segment: segmentName(at.segment), Offset: at.offset, Seq: at.seq, Reason: "invalid signature of the last batch",
		}
	}
	if !w.accepts(s.key) {
		return &ForeignError{Dir: w.dir, ID: id, Seq: at.seq, Key: s.key, Own: w.own}
	}
	return nil
}

// admitTrim checks who signed the notice of a trim.
func (w owner) admitTrim(t *trimNotice, end position) error {
	if t == nil || w.accepts(t.end.Key) {
		return nil
	}
	return &ForeignError{Dir: w.dir, ID: t.id(), Seq: end.seq, Key: t.end.Key, Own: w.own, Notice: true}
}
