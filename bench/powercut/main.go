//go:build linux

// Command powercut cuts the power of a real file system under a log that is
// being written, many times, and counts the acknowledged records that are lost.
//
// It makes a file system in a file, mounts it over a loop device (so it needs
// root), and has a child append to a log there. At a random moment it tells the
// file system to shut down without flushing its journal: what was not synced is
// gone. Then it mounts again, opens the log and compares it with what the child
// was told. With --nosync the child's syncs do nothing; that run must lose, or
// the test proves nothing.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/wal"
)

// shutdown is the ioctl of ext4 and xfs (and others) that ends all writing;
// with noLogFlush the journal in memory is lost too.
const (
	shutdown   = 0x8004587d
	noLogFlush = 2
)

func main() {
	cuts := flag.Int("cuts", 100, "how often the power is cut")
	kind := flag.String("fs", "ext4", "the file system: ext4 or xfs")
	nosync := flag.Bool("nosync", false, "the control: syncs do nothing")
	child := flag.String("child", "", "append to the log in this directory (used by the program itself)")
	flag.Parse()
	var err error
	if *child != "" {
		err = appendForEver(*child, *nosync)
	} else {
		err = run(*cuts, *kind, *nosync)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "powercut:", err)
		os.Exit(1)
	}
}

// rig is the file system under test.
type rig struct {
	image, mount string
	nosync       bool
	acked, lost  int
	torn         int
	checked      int
}

func run(cuts int, kind string, nosync bool) (err error) {
	root, err := os.MkdirTemp("", "ovi-powercut-")
	if err != nil {
		return err
	}
	r := &rig{image: filepath.Join(root, "image"), mount: filepath.Join(root, "mount"), nosync: nosync}
	if err := r.make(kind); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	began := time.Now()
	for i := range cuts {
		if err := r.cycle(); err != nil {
			return fmt.Errorf("cut %d: %w", i+1, err)
		}
	}
	took := time.Since(began).Round(time.Second)
	fmt.Printf("%s, nosync %v: %d power cuts in %v; %d records acknowledged, %d lost; %d records read back and compared, %d torn appends cut\n",
		kind, nosync, cuts, took, r.acked, r.lost, r.checked, r.torn)
	if nosync == (r.lost == 0) {
		return errors.New("this is not what must come out")
	}
	return nil
}

// make makes the image with a file system in it.
func (r *rig) make(kind string) error {
	if err := os.Mkdir(r.mount, 0o700); err != nil {
		return err
	}
	f, err := os.Create(r.image)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(512<<20), f.Close()); err != nil {
		return err
	}
	return command("mkfs."+kind, "-q", r.image)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// cycle mounts, checks what the last cut left, appends, and cuts again.
func (r *rig) cycle() (err error) {
	if err := command("mount", "-o", "loop", r.image, r.mount); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, command("umount", r.mount)) }()
	end, err := r.check()
	if err != nil {
		return err
	}
	before := end.Seq
	acked, err := r.appendAndCut(before)
	r.acked += int(acked - before)
	if err != nil {
		return err
	}
	return os.WriteFile(r.note(), []byte(strconv.FormatUint(uint64(acked), 10)), 0o600)
}

// note is where the last acknowledged record stands, outside the image.
func (r *rig) note() string { return r.image + ".acked" }

// check opens the log after a cut and compares it with what was acknowledged.
func (r *rig) check() (wal.Frontier, error) {
	text, err := os.ReadFile(r.note())
	if errors.Is(err, os.ErrNotExist) {
		return wal.Frontier{}, nil
	}
	if err != nil {
		return wal.Frontier{}, err
	}
	acked, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return wal.Frontier{}, err
	}
	dir := filepath.Join(r.mount, "log")
	l, err := wal.Open(dir, wal.WithSegmentSize(segmentSize))
	if err != nil && r.nosync {
		r.lost += int(acked)
		return wal.Frontier{}, os.RemoveAll(dir)
	}
	if err != nil {
		return wal.Frontier{}, err
	}
	if l.Torn() != nil {
		r.torn++
	}
	end := l.Frontier()
	r.lost += max(0, int(acked)-int(end.Seq))
	for b, err := range l.Read(0) {
		if err != nil {
			return end, err
		}
		for i, record := range b.Records {
			r.checked++
			if string(record) != string(content(b.First+wal.Seq(i))) {
				return end, fmt.Errorf("record %d is not what was appended", b.First+wal.Seq(i))
			}
		}
	}
	if end.Seq > 2000 {
		_, err = l.Trim(end.Seq - 1000)
	}
	return end, errors.Join(err, l.Close())
}

// appendAndCut has a child append, cuts the power at a random moment and
// returns the last record that was acknowledged before. What is acknowledged
// later does not count: a sync in flight may return anything then.
func (r *rig) appendAndCut(before wal.Seq) (wal.Seq, error) {
	cmd := exec.Command("/proc/self/exe", "-child", filepath.Join(r.mount, "log"), "-nosync="+strconv.FormatBool(r.nosync))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return before, err
	}
	if err := cmd.Start(); err != nil {
		return before, err
	}
	acked, lines := before, bufio.NewScanner(out)
	for n := 1 + rand.IntN(60); n > 0 && lines.Scan(); n-- {
		seq, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			return acked, err
		}
		acked = wal.Seq(seq)
	}
	time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	err = r.cut()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return acked, err
}

func (r *rig) cut() error {
	d, err := os.Open(r.mount)
	if err != nil {
		return err
	}
	err = unix.IoctlSetPointerInt(int(d.Fd()), shutdown, noLogFlush)
	return errors.Join(err, d.Close())
}
