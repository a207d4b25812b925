package record

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/wal"
)

// noteEvery is the time after which a long run writes its note again.
const noteEvery = 10 * time.Second

// directory opens the log of a data directory and keeps the note of the directory.
type directory struct {
	dir, logs string // the data directory, and its log
	home      trust.Home
	key       ed25519.PrivateKey // given, or nil
	verify    ed25519.PublicKey
	accept    bool // an operator accepts the directory

	place, machine string
	taken          []ed25519.PublicKey // that ended the accepted log
	noted          time.Time
	known          bool // accepted and noted
}

// openLog opens the log if the data directory is the user's own, or if an operator accepts it.
func (d *directory) openLog(opts []wal.Option) (*wal.Log, error) {
	var err error
	if d.place, err = trust.Place(d.dir); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if d.machine, err = trust.Machine(); err != nil {
		return nil, err
	}
	keyFile := d.place + ".key" // a key in the directory would travel with it
	if d.home != "" {
		keyFile = d.home.KeyFile()
	}
	opts = append([]wal.Option{wal.WithKeyFile(keyFile), wal.WithCheck(d.judge)}, opts...)
	if d.key != nil {
		opts = append(opts, wal.WithSigningKey(d.key))
	}
	if d.verify != nil {
		opts = append(opts, wal.ReadOnly(), wal.WithTrustedKey(d.verify))
	}
	for {
		var foreign *wal.ForeignError
		l, err := wal.Open(d.logs, opts...)
		switch {
		case !errors.As(err, &foreign):
			return l, err
		case !d.accept || d.verify != nil || len(d.taken) > 1: // the end, and the notice of a trim
			return nil, trust.Foreign(d.dir, foreign)
		}
		d.taken = append(d.taken, foreign.Key)
		opts = append(opts, wal.WithTrustedKey(foreign.Key))
	}
}

// judge decides about a log that ends with an accepted signature. It prevents two copies of one
// data directory from continuing one log, which would make two histories with the same numbers.
func (d *directory) judge(o wal.Opening) error {
	if d.accept {
		return nil
	}
	name := trust.LogName(o.ID)
	n, err := d.home.Note(name)
	if err != nil {
		return err
	}
	return trust.Judge(trust.Opened{Dir: d.place, Machine: d.machine, Log: name, End: o.End, Has: o.Has}, n)
}

// firstNote notes the directory that was opened.
func (d *directory) firstNote(l *wal.Log) error {
	d.known = true
	if d.accept {
		return d.home.Replace(trust.NoteOf(l, d.place, d.machine))
	}
	return d.home.Keep(trust.NoteOf(l, d.place, d.machine))
}

// lastNote notes the newest record of a directory that was opened.
func (d *directory) lastNote(l *wal.Log) error {
	if !d.known {
		return nil
	}
	return d.home.Keep(trust.NoteOf(l, d.place, d.machine))
}

// noteSometimes keeps the note of a long run near its newest record. Only the goroutine that has the append lock
// calls it. A failed note is repeated after some time.
func (d *directory) noteSometimes(l *wal.Log, now time.Time) {
	if d.known && d.home != "" && now.Sub(d.noted) >= noteEvery {
		d.noted = now
		_ = d.home.Keep(trust.NoteOf(l, d.place, d.machine))
	}
}
