//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shutdown is the ioctl of ext4 and xfs (and others) that ends all writing;
// with noLogFlush the journal in memory is lost too.
const (
	shutdown   = 0x8004587d
	noLogFlush = 2
)

// liveStateLife is after how many cuts the writer starts with an empty directory: a replay takes as
// long as the log is.
const liveStateLife = 25

// rig is the file system under test.
type rig struct {
	options
	root, image, mount string
	t                  traffic
	sum                tally
}

// run cuts the power as often as the options say, or until the context or the time ends.
func run(ctx context.Context, o options) (sum tally, err error) {
	root, err := os.MkdirTemp("", "ovi-powercut-")
	if err != nil {
		return sum, err
	}
	r := &rig{options: o, root: root, image: filepath.Join(root, "image"), mount: filepath.Join(root, "mount")}
	defer func() { err = errors.Join(err, r.remove()) }()
	if r.t, err = newTraffic(o.traffic); err != nil {
		return sum, err
	}
	if err := r.make(); err != nil {
		return sum, err
	}
	started := time.Now()
	for r.sum.cuts < o.cuts && ctx.Err() == nil && time.Since(started) < o.limit {
		// The state after the last cut is checked, before a writer starts and is cut again.
		err := r.mounted(func() error {
			if err := r.look(); err != nil {
				return err
			}
			return r.writeAndCut()
		})
		if err != nil {
			return r.sum, fmt.Errorf("cut %d: %w", r.sum.cuts+1, err)
		}
		r.sum.cuts++
	}
	err = r.mounted(r.look) // what the last cut left
	r.sum.took = time.Since(started)
	return r.sum, errors.Join(err, ctx.Err())
}

// make creates the image with a file system.
func (r *rig) make() error {
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
	return command("mkfs."+r.kind, "-q", r.image)
}

// remove deletes everything, also when a cycle was interrupted.
func (r *rig) remove() error {
	if mounts, err := os.ReadFile("/proc/self/mounts"); err == nil && strings.Contains(string(mounts), " "+r.mount+" ") {
		_ = command("umount", "-l", r.mount) // and with it the loop device goes
	}
	return os.RemoveAll(r.root)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

func (r *rig) mounted(do func() error) error {
	if err := command("mount", "-o", "loop", r.image, r.mount); err != nil {
		return err
	}
	return errors.Join(do(), r.unmount())
}

// unmount waits for a writer that was killed: the kernel may still be closing its files.
func (r *rig) unmount() (err error) {
	for range 100 {
		if err = command("umount", r.mount); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

func (r *rig) dir() string { return filepath.Join(r.mount, "data") }

func (r *rig) look() error {
	err := r.t.check(r.dir(), &r.sum)
	switch {
	case err != nil && r.nosync:
		r.sum.unusable++
		r.sum.lost += r.t.forget()
		return os.RemoveAll(r.dir())
	case err == nil && r.sum.cuts%liveStateLife == 0:
		r.t.forget()
		return os.RemoveAll(r.dir())
	}
	return err
}

// writeAndCut starts a writing child, and cuts the power at a random moment. Only what was
// acknowledged before counts: a sync in flight may return anything then.
func (r *rig) writeAndCut() error {
	cmd := r.child()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for n := 1 + rand.IntN(60); n > 0 && err == nil; n-- {
		if !lines.Scan() {
			err = errors.New("the writer ended before the power was cut")
			break
		}
		err = r.t.hear(lines.Text(), &r.sum)
		if r.nosync && errors.Is(err, errReissued) {
			r.sum.reissued++
			err = nil
		}
	}
	time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	err = errors.Join(err, r.cut())
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	_ = cmd.Wait()
	return err
}

// child is this program as the writer; for the control strace answers its syncs without doing
// them, once there is complete data to lose.
func (r *rig) child() *exec.Cmd {
	args := []string{"-child", r.dir(), "-traffic", r.traffic}
	self := "/proc/" + strconv.Itoa(os.Getpid()) + "/exe"
	cmd := exec.Command(self, args...)
	if _, err := os.Stat(r.dir()); r.nosync && err == nil {
		syncs := "fsync,fdatasync,sync_file_range,msync"
		cmd = exec.Command("strace", append([]string{
			"-f", "-qqq", "-o", "/dev/null", "--seccomp-bpf",
			"-e", "trace=" + syncs, "-e", "inject=" + syncs + ":retval=0", self,
		}, args...)...)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (r *rig) cut() error {
	d, err := os.Open(r.mount)
	if err != nil {
		return err
	}
	err = unix.IoctlSetPointerInt(int(d.Fd()), shutdown, noLogFlush)
	return errors.Join(err, d.Close())
}
