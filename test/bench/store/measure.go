package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A timing is milliseconds: as they passed, and of the processors. The second one hardly
// moves when the machine has other work.
type timing struct{ Wall, CPU float64 }

// result is one system's figures of one round; zero for what it cannot.
type result struct {
	Full, Delta           timing  // the first snapshot; 1 % changed, the median of the deltas
	FullBytes, DeltaBytes float64 // handed to the kernel, per byte of data
	Now, NowDeltas        timing  // all keys now: after the first snapshot, and after the deltas
	Old                   timing  // all keys at the first revision, after the deltas
	History               timing  // one key's, in microseconds
	Disk, DiskDeltas      float64 // MB on disk
	PeakWrite, PeakRead   float64 // growth of anonymous memory, MB
}

const (
	deltas    = 20
	valueSize = 600
)

// resources are JSON as a cloud's are: about 600 bytes, of which some are random.
func resources(n int, rng *rand.Rand) []record {
	all := make([]record, n)
	for i := range all {
		all[i] = record{fmt.Sprintf("obs/aws/us-east-1/ec2/i-%016x", uint64(i)*0x9e3779b97f4a7c15), res(rng)}
	}
	slices.SortFunc(all, func(a, b record) int { return strings.Compare(a.key, b.key) })
	return all
}

func res(rng *rand.Rand) []byte {
	v := make([]byte, 0, valueSize)
	v = fmt.Appendf(v, `{"id":"i-%016x","state":"running","type":"t3.micro",`+
		`"tags":{"ovi:stack":"web","team":"platform"},"blob":"`, rng.Uint64())
	for len(v) < valueSize-2 {
		v = fmt.Appendf(v, "%016x", rng.Uint64())
	}
	return append(v[:valueSize-2], `"}`...)
}

// measure prints one system's figures.
func measure(ctx context.Context, name string, n int) error {
	dir, err := os.MkdirTemp("", "ovi-bench-store-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, c := range contenders() {
		if c.name != name {
			continue
		}
		s, err := c.open(ctx, dir)
		if err != nil {
			return err
		}
		r, err := figures(ctx, s, n, dir)
		if err := errors.Join(err, s.close()); err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	return fmt.Errorf("no system %q", name)
}

func figures(ctx context.Context, s system, n int, dir string) (r result, err error) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	all := resources(n, rng)
	logical := float64(n) * (valueSize + float64(len(all[0].key)))
	runtime.GC()
	peak := watchMemory()
	before := written()
	if r.Full, err = clock(func() error { return s.write(ctx, 1, all) }); err != nil {
		return r, err
	}
	r.FullBytes = (written() - before) / logical
	r.PeakWrite, r.Disk = peak(), disk(dir)
	if r.Now, err = read(ctx, s, 0, n); err != nil {
		return r, err
	}
	var times []timing
	before = written()
	for d := range deltas {
		changed := change(all, max(1, n/100), rng)
		ms, err := clock(func() error { return s.write(ctx, d+2, changed) })
		if err != nil {
			return r, err
		}
		times = append(times, ms)
	}
	r.Delta, r.DeltaBytes = middle(times), (written()-before)/(logical/100*deltas)
	r.DiskDeltas = disk(dir)
	runtime.GC()
	peak = watchMemory()
	if r.NowDeltas, err = read(ctx, s, 0, n); err != nil {
		return r, err
	}
	r.PeakRead = peak()
	if r.Old, err = read(ctx, s, 1, n); errors.Is(err, errNot) {
		return r, nil
	} else if err != nil {
		return r, err
	}
	r.History, err = histories(ctx, s, all, rng)
	return r, err
}

// change gives some random records new values, in key order.
func change(all []record, n int, rng *rand.Rand) []record {
	picked := rng.Perm(len(all))[:n]
	slices.Sort(picked)
	changed := make([]record, n)
	for i, p := range picked {
		changed[i] = record{all[p].key, res(rng)}
	}
	return changed
}

// read is the median of five reads of all keys that access each byte.
func read(ctx context.Context, s system, rev, n int) (timing, error) {
	var times []timing
	table := crc32.MakeTable(crc32.Castagnoli)
	for range 5 {
		seen, sum := 0, uint32(0)
		ms, err := clock(func() error {
			return s.liveState(ctx, rev, func(_, value []byte) { seen++; sum ^= crc32.Checksum(value, table) })
		})
		if err != nil {
			return timing{}, err
		}
		if seen != n {
			return timing{}, fmt.Errorf("revision %d has %d things, want %d", rev, seen, n)
		}
		times = append(times, ms)
	}
	return middle(times), nil
}

func histories(ctx context.Context, s system, all []record, rng *rand.Rand) (timing, error) {
	const keys = 500
	seen := 0
	ms, err := clock(func() error {
		for range keys {
			if err := s.history(ctx, all[rng.IntN(len(all))].key, func([]byte) { seen++ }); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && seen < keys {
		err = fmt.Errorf("%d versions of %d keys", seen, keys)
	}
	return timing{ms.Wall * 1000 / keys, ms.CPU * 1000 / keys}, err
}

func clock(fn func() error) (timing, error) {
	begun, used := time.Now(), processor()
	err := fn()
	return timing{float64(time.Since(begun).Nanoseconds()) / 1e6, processor() - used}, err
}

// processor is what this process has used so far, in milliseconds.
func processor() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e6
}

// middle is the median of each of the two, by itself.
func middle(all []timing) timing {
	var wall, cpu []float64
	for _, t := range all {
		wall, cpu = append(wall, t.Wall), append(cpu, t.CPU)
	}
	return timing{median(wall), median(cpu)}
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// written is how many bytes this process handed to the kernel.
func written() float64 { return proc("/proc/self/io", "wchar:") }

// watchMemory samples anonymous memory (what the system cannot just drop) and returns by how
// many MB it grew at most.
func watchMemory() (peak func() float64) {
	base, most := anon(), 0.0
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			most = max(most, anon())
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() float64 {
		stop.Store(true)
		<-done
		return max(0, most-base) / 1024
	}
}

func anon() float64 { return proc("/proc/self/status", "RssAnon:") }

func proc(file, field string) float64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), field); ok {
			var n float64
			fmt.Sscan(rest, &n)
			return n
		}
	}
	return 0
}

// disk is what the files under dir take, in MB; holes do not count.
func disk(dir string) float64 {
	var blocks int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				blocks += info.Sys().(*syscall.Stat_t).Blocks
			}
		}
		return nil
	})
	return float64(blocks) * 512 / 1e6
}
