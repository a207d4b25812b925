//go:build linux

// Command powercut cuts the power of a real file system while an audit log is
// being written, many times, and counts what was acknowledged and then lost.
//
// It makes a file system in a file, mounts it over a loop device (so it needs
// root), and has a child write there: with -traffic log appends to a bare log;
// with -traffic record what an apply writes, by several goroutines: claims acquired
// and released, actions that start and finish under them, observations, all through
// the ledger into its log and its store. At a random moment it shuts the file system
// down without flushing its journal: what was not synced is gone. Then it mounts
// again and compares the content with what was acknowledged to the child.
//
// With -nosync the child's syncs do nothing (strace answers them); that run must
// lose data, or the test proves nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	o := options{}
	flag.IntVar(&o.cuts, "cuts", 100, "how often the power is cut")
	flag.DurationVar(&o.limit, "for", time.Hour, "stop after this time, even with fewer cuts")
	flag.StringVar(&o.kind, "fs", "ext4", "the file system: ext4 or xfs")
	flag.StringVar(&o.traffic, "traffic", "record", "what is written: record or log")
	flag.BoolVar(&o.nosync, "nosync", false, "the control: syncs do nothing")
	child := flag.String("child", "", "write in this directory (used by the program itself)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	if err := start(ctx, o, *child); err != nil {
		fmt.Fprintln(os.Stderr, "powercut:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, o options, child string) error {
	t, err := newTraffic(o.traffic)
	if err != nil {
		return err
	}
	if child != "" {
		return t.write(child)
	}
	sum, err := run(ctx, o)
	sum.print(os.Stdout, o)
	if err == nil && o.nosync == (sum.lost == 0) {
		err = errors.New("this is not what must come out")
	}
	return err
}

type options struct {
	cuts    int
	limit   time.Duration
	kind    string
	traffic string
	nosync  bool
}

// traffic is what is written during a power cut, and what must hold afterwards.
type traffic interface {
	// write writes until the power is off, and prints a line for each acknowledgment.
	write(dir string) error
	// hear keeps a line that the writer printed before the power was cut.
	hear(line string, sum *tally) error
	// check compares what a cut left with what was heard. It counts what was lost; an error
	// means that what is left is unusable.
	check(dir string, sum *tally) error
	// forget restarts with an empty directory, and returns how much had been acknowledged.
	forget() int
}

func newTraffic(name string) (traffic, error) {
	switch name {
	case "record":
		return &recordTraffic{newHeard()}, nil
	case "log":
		return &logTraffic{}, nil
	}
	return nil, fmt.Errorf("-traffic %q: it must be record or log", name)
}

// tally is what a run counted.
type tally struct {
	cuts, acknowledged, lost       int
	unusable, reissued             int // in the control
	checked, torn, replays, claims int
	took                           time.Duration
}

func (s tally) print(w io.Writer, o options) {
	fmt.Fprintf(w, "%s, %s, nosync %v: %d power cuts in %v; %d records acknowledged, %d lost; %d read back and "+
		"compared, %d torn appends cut",
		o.kind, o.traffic, o.nosync, s.cuts, s.took.Round(time.Second), s.acknowledged, s.lost, s.checked, s.torn)
	if o.traffic == "record" {
		fmt.Fprintf(w, "; %d stores equal to their replay, %d claims taken", s.replays, s.claims)
	}
	if o.nosync {
		fmt.Fprintf(w, "; %d times nothing usable was left, %d tokens given twice", s.unusable, s.reissued)
	}
	fmt.Fprintln(w)
}
