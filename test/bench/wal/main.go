// Command wal measures ovi's write-ahead log and, as the limit, a plain file, and prints Markdown tables.
//
// All of them run in turn, round after round, so that the noise of the machine
// meets all alike; the figures are medians of the rounds.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// subject is a log under measurement. append makes the records durable before
// it returns. readAll reads everything back and returns how many records.
type subject interface {
	append(records [][]byte) error
	readAll() (int, error)
	close() error
}

// grouper is a subject that shares syncs among callers by itself; for others
// the benchmark brings a goroutine that does.
type grouper interface {
	appendShared(record []byte) error
}

type contender struct {
	name string
	open func(dir string) (subject, error)
}

// task is a column of the table: it returns operations, how long they took, and
// leaves the subject open.
type task struct {
	name string
	run  func(s subject, records [][]byte) (int, time.Duration, error)
}

func main() {
	rounds := flag.Int("rounds", 15, "how often each is measured")
	kind := flag.String("records", "json", "json (they look like observations) or random (they do not compress)")
	dir := flag.String("dir", "", "where the logs go (default: a temporary directory)")
	only := flag.String("only", "", "only contenders whose name contains this")
	flag.Parse()
	if err := run(*rounds, *kind, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench/wal:", err)
		os.Exit(1)
	}
}

func run(rounds int, kind, dir, only string) error {
	root, err := os.MkdirTemp(dir, "ovi-bench-wal-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	records, err := makeRecords(kind, 30_000)
	if err != nil {
		return err
	}
	results := map[string][]float64{}
	for round := range rounds {
		for _, t := range tasks() {
			all := contenders()
			by := round % len(all) // each round begins with another contender
			for _, c := range slices.Concat(all[by:], all[:by]) {
				if !strings.Contains(c.name, only) {
					continue
				}
				if err := measure(results, c, t, root, records); err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, t.name, err)
				}
			}
		}
	}
	fmt.Printf("600-byte records (%s), %d interleaved rounds, medians; lowest to highest in brackets.\n\n", kind, rounds)
	table(results, only)
	return nil
}

// measure runs one task on a fresh log; the log of the batches is read back too.
func measure(results map[string][]float64, c contender, t task, root string, records [][]byte) error {
	dir := filepath.Join(root, "run")
	defer os.RemoveAll(dir)
	s, err := c.open(dir)
	if err != nil {
		return err
	}
	before := cpuTime()
	n, took, err := t.run(s, records)
	if err != nil {
		return err
	}
	note(results, c.name+"/"+t.name, n, took)
	if t.name == taskBatches {
		key := c.name + "/" + columnCPU
		results[key] = append(results[key], float64(cpuTime()-before)/float64(time.Microsecond)/float64(n))
	}
	if t.name == taskBatches {
		started := time.Now()
		got, err := s.readAll()
		if err != nil || got != n {
			return fmt.Errorf("read %d of %d records back: %w", got, n, err)
		}
		note(results, c.name+"/"+taskRead, n, time.Since(started))
	}
	return s.close()
}

// columnCPU is what the batches cost: it hardly depends on what else runs here.
const columnCPU = "CPU us/record at 100 a sync"

// cpuTime is what this process has used so far.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func note(results map[string][]float64, key string, n int, took time.Duration) {
	results[key] = append(results[key], float64(n)/took.Seconds())
}

// table prints one row a contender, records per second.
func table(results map[string][]float64, only string) {
	columns := []string{taskSingle, taskBatches, taskAppenders, taskRead, columnCPU}
	fmt.Println("| records/s |", strings.Join(columns, " | "), "|")
	fmt.Println("|---" + strings.Repeat("|---:", len(columns)) + "|")
	for _, c := range contenders() {
		if !strings.Contains(c.name, only) {
			continue
		}
		fmt.Print("| ", c.name, " |")
		for _, column := range columns {
			v := slices.Sorted(slices.Values(results[c.name+"/"+column]))
			if len(v) == 0 {
				fmt.Print(" - |")
				continue
			}
			format := " **%.0f** [%.0f-%.0f] |"
			if column == columnCPU {
				format = " **%.2f** [%.2f-%.2f] |"
			}
			fmt.Printf(format, v[len(v)/2], v[0], v[len(v)-1])
		}
		fmt.Println()
	}
}
