package rows

import "github.com/ovi-project/ovi/storage"

// Mark is the order of a batch, encoded in the number that the log keeps for the caller.
type Mark struct {
	Known bool
	Epoch int              // how often the revisions were numbered again
	Prev  storage.Revision // committed by the last batch of this log that counts
	Base  storage.Revision // which the batch was made from
}

const (
	markKnown = 1 << 63
	epochBits = 6
	prevBits  = 40
	aheadBits = 63 - epochBits - prevBits
)

// Encode packs the mark; one that does not fit is not known.
func (m Mark) Encode() uint64 {
	if !m.Known || m.Epoch >= 1<<epochBits || m.Prev >= 1<<prevBits || m.Base < m.Prev {
		return 0
	}
	ahead := min(uint64(m.Base-m.Prev), 1<<aheadBits-1)
	return markKnown | uint64(m.Epoch)<<(prevBits+aheadBits) | uint64(m.Prev)<<aheadBits | ahead
}

// DecodeMark is the inverse of Encode.
func DecodeMark(n uint64) Mark {
	if n&markKnown == 0 {
		return Mark{}
	}
	prev := storage.Revision(n >> aheadBits & (1<<prevBits - 1))
	return Mark{
		true, int(n >> (prevBits + aheadBits) & (1<<epochBits - 1)), prev, prev + storage.Revision(n&(1<<aheadBits-1)),
	}
}
