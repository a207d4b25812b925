package record

import (
	"context"

	"github.com/ovi-project/ovi/wal"
)

// Prove proves that records are in the log of a checkpoint. If under is the zero value, it makes a
// checkpoint. A record that was trimmed, or recorded after the checkpoint, is an error.
func (w *Writer) Prove(ctx context.Context, under wal.Anchor, seqs []wal.Seq) (wal.Anchor, []wal.Inclusion, error) {
	if under.Log == [16]byte{} {
		var err error
		if under, err = w.Checkpoint(ctx); err != nil {
			return under, nil, err
		}
	}
	found, err := w.log.Prove(under, seqs)
	return under, found, err
}

// Sign signs a text with the key of the log. No event or checkpoint has such a signature: the text must
// begin with a line that says what it is.
func (w *Writer) Sign(text []byte) ([]byte, error) { return w.log.Sign(text) }
