package wal

import (
	"crypto/ed25519"
	"fmt"
	"os"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Option changes how a log is opened or verified.
type Option func(*options)

type options struct {
	fs          vfs.FS
	clock       func() time.Time
	pid         int
	segmentSize int64
	prefill     int64
	compress    bool
	readOnly    bool
	lockWait    time.Duration
	frontier    *Frontier
	seen        []seen
	keyFile     string
	key         ed25519.PrivateKey
	trusted     []ed25519.PublicKey
	check       func(Opening) error
	anchors     []Anchor
}

// FS and File are the file system that a log is kept on. Another one must keep
// their promises on what Sync and SyncDir make durable.
type (
	FS   = vfs.FS
	File = vfs.File
)

// WithFS puts the log on another file system, such as one in memory.
func WithFS(fs FS) Option { return func(o *options) { o.fs = fs } }

// WithClock sets the clock that stamps batches without a time of their own.
func WithClock(now func() time.Time) Option { return func(o *options) { o.clock = now } }

// WithSegmentSize sets the length at which a segment is sealed and the next
// one started. A batch that is larger gets a segment of its own.
func WithSegmentSize(bytes int64) Option { return func(o *options) { o.segmentSize = bytes } }

// WithPrefill sets how far a segment is filled with zeros ahead of its end. A
// write into space that was written before needs no change of the file's
// metadata, so its sync is faster.
func WithPrefill(bytes int64) Option { return func(o *options) { o.prefill = bytes } }

// WithoutCompression stores every batch as it is.
func WithoutCompression() Option { return func(o *options) { o.compress = false } }

// ReadOnly opens a log without changing anything: no lock is taken, no torn
// tail is cut (it is reported all the same) and nothing can be appended.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// WithLockWait bounds how long Open, Trim and Anchor wait for the append lock.
func WithLockWait(d time.Duration) Option { return func(o *options) { o.lockWait = d } }

// WithFrontier names a record that is known to have been acknowledged, and the
// chain value there. Open and Verify return a *CorruptError if the log ends
// before it or holds something else there.
func WithFrontier(seq Seq, chain Chain) Option {
	return func(o *options) { o.frontier = &Frontier{seq, chain} }
}

// WithSeen makes Verify require what others saw of the log: a record and the chain value there. The
// source says who, in the text of the error. What was trimmed is not looked for.
func WithSeen(source string, at Frontier) Option {
	return func(o *options) { o.seen = append(o.seen, seen{source, at}) }
}

// seen is a position of the log that others saw.
type seen struct {
	source string
	at     Frontier
}

// WithKeyFile names the file of the signing key, which is created if it is
// missing. The default is the log's directory name with ".key" added, so that a
// copy of the directory does not contain the key.
func WithKeyFile(name string) Option { return func(o *options) { o.keyFile = name } }

// WithSigningKey sets the key; no key file is read or created.
func WithSigningKey(key ed25519.PrivateKey) Option { return func(o *options) { o.key = key } }

// WithTrustedKey makes Open accept a log that ends with a signature of this key. Later batches are signed with
// the own key, which vouches for all earlier ones.
func WithTrustedKey(key ed25519.PublicKey) Option {
	return func(o *options) { o.trusted = append(o.trusted, key) }
}

// Opening is a log that Open found on disk, with a valid signature of an accepted key at its end.
type Opening struct {
	ID  [16]byte
	End Frontier
	Has func(Frontier) (bool, error) // whether the log has a position; a trimmed one counts
}

// WithCheck makes Open call a function before it changes anything. Open returns its error. The function is not
// called for a new log.
func WithCheck(check func(Opening) error) Option { return func(o *options) { o.check = check } }

// WithAnchor makes Verify require an anchor that was stored elsewhere.
func WithAnchor(a Anchor) Option {
	return func(o *options) { o.anchors = append(o.anchors, a) }
}

// newOptions applies the defaults and rejects invalid values.
func newOptions(dir string, opts []Option) (options, error) {
	o := options{
		fs: vfs.OS(), clock: time.Now, pid: os.Getpid(), compress: true,
		segmentSize: 16 << 20, prefill: 256 << 10,
		lockWait: 10 * time.Second, keyFile: dir + ".key",
	}
	for _, apply := range opts {
		apply(&o)
	}
	switch {
	case o.segmentSize < minSegmentSize:
		return o, fmt.Errorf("wal: segment size %d: must be at least %d", o.segmentSize, minSegmentSize)
	case o.prefill < 0:
		return o, fmt.Errorf("wal: prefill %d: must not be negative", o.prefill)
	case o.key != nil && len(o.key) != ed25519.PrivateKeySize:
		return o, fmt.Errorf("wal: signing key of %d bytes: want %d", len(o.key), ed25519.PrivateKeySize)
	}
	return o, nil
}
