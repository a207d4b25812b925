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

Made by `+"`cd bench/store && go run . -rounds 5 -out ../../docs/bench/store.md`"+` on %s,
%d CPUs, %s, %s; load 1 minute %s when it began.

Each system ran in its own process, the systems took turns, the figures are medians of the
rounds. Things are 600 bytes of JSON under keys of 38 bytes; each read looks at every byte.
Times are milliseconds unless said. "Bytes written" is what was handed to the kernel for each
byte of data. Memory is the growth of anonymous memory. The other systems are used the best
way known for them, and stay open; ovi's store is opened, its sums checked, and closed again
within each operation, as the program does.

`, time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), cpu(), runtime.Version(), load())
}

func table(page *bytes.Buffer, n, rounds int, results map[string][]result) {
	fmt.Fprintf(page, "## %d things, %d rounds\n\n", n, rounds)
	fmt.Fprintln(page, "| system | first snapshot | bytes written | 1 % delta | bytes written | world now | now, after 20 deltas | first revision, after 20 deltas | one key's history, µs | MB on disk, then after 20 deltas | MB memory, writing / reading |")
	fmt.Fprintln(page, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, c := range contenders() {
		rs := results[c.name]
		if len(rs) == 0 {
			continue
		}
		m := func(get func(result) float64, format string) string {
			var all []float64
			for _, r := range rs {
				all = append(all, get(r))
			}
			if v := median(all); v > 0 {
				return fmt.Sprintf(format, v)
			}
			return "-"
		}
		fmt.Fprintf(page, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s, %s | %s / %s |\n", c.name,
			m(func(r result) float64 { return r.Full }, "%.0f"), m(func(r result) float64 { return r.FullBytes }, "%.2f"),
			m(func(r result) float64 { return r.Delta }, "%.1f"), m(func(r result) float64 { return r.DeltaBytes }, "%.1f"),
			m(func(r result) float64 { return r.Now }, "%.1f"), m(func(r result) float64 { return r.NowDeltas }, "%.1f"),
			m(func(r result) float64 { return r.Old }, "%.1f"), m(func(r result) float64 { return r.History }, "%.1f"),
			m(func(r result) float64 { return r.Disk }, "%.1f"), m(func(r result) float64 { return r.DiskDeltas }, "%.1f"),
			m(func(r result) float64 { return r.PeakWrite }, "%.0f"), m(func(r result) float64 { return r.PeakRead }, "%.0f"))
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
