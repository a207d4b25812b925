package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

func header(page *bytes.Buffer) {
	fmt.Fprintf(page, `# The store, measured

Made by `+"`cd test/bench/store && go run . -rounds 5`"+` on %s,
%d CPUs, %s, %s; load average over 1 minute %s at the start.

Each system ran in its own process, the systems took turns, the figures are medians of the
rounds. Things are 600 bytes of JSON under keys of 38 bytes; each read looks at every byte.
Times are milliseconds unless said, in parentheses those of the processors (the machine is
shared; GC and background work included). "Bytes written" is what was handed to the kernel for each
byte of data. Memory is the growth of anonymous memory. The other systems are used the best
way known for them, alone with their files; ovi's store takes its lock, checks its sums and
lets the lock go within each operation (of a scan, each half megabyte), as the program does.

`, time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), cpu(), runtime.Version(), load())
}

func table(page *bytes.Buffer, n, rounds int, results map[string][]result) {
	fmt.Fprintf(page, "## %d things, %d rounds\n\n", n, rounds)
	fmt.Fprintln(page, "| system | first snapshot | bytes written | 1 % delta | bytes written | world now | now, after "+
		"20 deltas | first revision, after 20 deltas | one key's history, µs | MB on disk, then after 20 deltas | MB "+
		"memory, writing / reading |")
	fmt.Fprintln(page, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, c := range contenders() {
		rs := results[c.name]
		if len(rs) == 0 {
			continue
		}
		fmt.Fprintf(page, "| %s |", c.name)
		for _, cell := range cells(rs) {
			fmt.Fprintf(page, " %s |", cell)
		}
		fmt.Fprintln(page)
	}
	fmt.Fprintln(page)
}

func cpu() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.SplitSeq(string(b), "\n") {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.Trim(name, "\t :"))
		}
	}
	return runtime.GOARCH
}

func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// summary compares ovi's figures with the goals: a delta under twice the cost of its bytes alone,
// a read of all keys within one and a half times of the best of all others.
func summary(page *bytes.Buffer, results map[string][]result) {
	ours := results["ovi storage/bolt"]
	if len(ours) == 0 {
		return
	}
	pick := func(rs []result, get func(result) timing) float64 {
		var all []timing
		for _, r := range rs {
			all = append(all, get(r))
		}
		return middle(all).CPU
	}
	line := func(what, goal string, get func(result) timing, among func(name string) bool) {
		best, name := 0.0, ""
		for _, c := range contenders()[1:] {
			if v := pick(results[c.name], get); among(c.name) && v > 0 && (best == 0 || v < best) {
				best, name = v, c.name
			}
		}
		if best > 0 {
			fmt.Fprintf(page, "- %s: %.2f times %s (goal: %s).\n", what, pick(ours, get)/best, name, goal)
		}
	}
	any := func(string) bool { return true }
	fmt.Fprintln(page, "By time of the processors:")
	fmt.Fprintln(page)
	line("1 % delta", "under 2 times its bytes raw", func(r result) timing { return r.Delta },
		func(name string) bool { return name == "bbolt, newest only" })
	line("the world now", "1.5 times the best", func(r result) timing { return r.Now }, any)
	line("the world now, after 20 deltas", "1.5 times the best", func(r result) timing { return r.NowDeltas }, any)
	line("the first revision, after 20 deltas", "1.5 times the best", func(r result) timing { return r.Old }, any)
	fmt.Fprintln(page)
}

// cells are the figures of one system, the medians of its rounds.
func cells(rs []result) []string {
	times := func(get func(result) timing) string {
		var all []timing
		for _, r := range rs {
			all = append(all, get(r))
		}
		if m := middle(all); m.Wall > 0 {
			return fmt.Sprintf("%.3g (%.3g)", m.Wall, m.CPU)
		}
		return "-"
	}
	plain := func(format string, get func(result) float64) string {
		var all []float64
		for _, r := range rs {
			all = append(all, get(r))
		}
		return fmt.Sprintf(format, median(all))
	}
	return []string{
		times(func(r result) timing { return r.Full }),
		plain("%.2f", func(r result) float64 { return r.FullBytes }),
		times(func(r result) timing { return r.Delta }),
		plain("%.1f", func(r result) float64 { return r.DeltaBytes }),
		times(func(r result) timing { return r.Now }),
		times(func(r result) timing { return r.NowDeltas }),
		times(func(r result) timing { return r.Old }),
		times(func(r result) timing { return r.History }),
		plain("%.1f", func(r result) float64 { return r.Disk }) + ", " +
			plain("%.1f", func(r result) float64 { return r.DiskDeltas }),
		plain("%.0f", func(r result) float64 { return r.PeakWrite }) + " / " +
			plain("%.0f", func(r result) float64 { return r.PeakRead }),
	}
}
