package bolt

import (
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ovi-project/ovi/internal/boottime"
)

// Store is a storage.Store in one file.
type Store struct {
	path    string
	timeout time.Duration
	clock   boottime.Clock
	queue   queue
	closed  bool
	handle  *handle
	chunks  sync.Pool // of *chunk, whose buffers the next long read uses again
	cramped bool      // the address space allows no mapping larger than the file
}

// A handle is the file, opened and mapped. It outlives the operation that opened it, its lock
// does not: mapping the file and touching its pages for the first time is expensive, and the
// lock blocks other processes. The next operation takes the lock again and checks that the state
// of the handle is still true.
type handle struct {
	db       *bbolt.DB
	file     *os.File
	writable bool
	mapped   int64
	txid     uint64 // the last transaction covered by the list of free pages in memory
	sound    uint64 // the last transaction whose root was checked
	page     []byte
}

// An Option changes how a store is opened.
type Option func(*Store)

// WithTimeout bounds how long an operation waits for other processes; the default is 10 s. It does not bound a wait for
// other operations of the process, as long as these get on.
func WithTimeout(d time.Duration) Option { return func(s *Store) { s.timeout = d } }

// WithClock replaces the clock that measures leases. It is the clock of this boot: a change of
// the date has no effect on leases, they end while a host sleeps, and all of them end with a
// reboot, which no holder survives.
func WithClock(c boottime.Clock) Option { return func(s *Store) { s.clock = c } }

const pageSize = 4 << 10
