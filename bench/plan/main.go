// Command plan measures a plan of N unchanged things as a whole process: config file read,
// record opened, world looked at, compared, decided, shown. The world is in memory, so that
// only ovi itself is measured; beside it terraform plans N terraform_data, which needs no
// cloud either.
//
//	go run ./bench/plan                      1,000 and 10,000 and 100,000; terraform 1,000
//	go run ./bench/plan -terraform 1000,10000
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "worker" {
		n, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = work(os.Args[2], n)
		}
		exitOn(err)
		return
	}
	sizes := flag.String("sizes", "1000,10000,100000", "how many things ovi plans")
	terraform := flag.String("terraform", "1000", "how many things terraform plans; empty: none")
	runs := flag.Int("runs", 5, "runs of each; the median counts")
	flag.Parse()
	dir, err := os.MkdirTemp("", "ovi-bench-plan-")
	exitOn(err)
	defer os.RemoveAll(dir)
	fmt.Println("| program | things | wall, median (min to max) | memory, most |")
	fmt.Println("|---|---:|---:|---:|")
	for _, n := range numbers(*sizes) {
		exitOn(report("ovi plan", n, *runs, func() (sample, error) { return ovi(dir, n) }))
	}
	if _, err := exec.LookPath("terraform"); err != nil {
		return
	}
	for _, n := range numbers(*terraform) {
		exitOn(report("terraform plan", n, *runs, func() (sample, error) { return tf(dir, n) }))
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func numbers(list string) []int {
	var out []int
	for _, s := range strings.Split(list, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// sample is what one process took.
type sample struct {
	wall time.Duration
	rss  int64 // bytes
}

// report runs once to warm up, then measures.
func report(name string, n, runs int, once func() (sample, error)) error {
	if _, err := once(); err != nil {
		return fmt.Errorf("%s of %d: %w", name, n, err)
	}
	var walls []time.Duration
	var most int64
	for range runs {
		s, err := once()
		if err != nil {
			return fmt.Errorf("%s of %d: %w", name, n, err)
		}
		walls, most = append(walls, s.wall), max(most, s.rss)
	}
	slices.Sort(walls)
	fmt.Printf("| %s | %d | %s (%s to %s) | %d MB |\n", name, n,
		short(walls[len(walls)/2]), short(walls[0]), short(walls[len(walls)-1]), most>>20)
	return nil
}

func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// measure runs a process to its end.
func measure(cmd *exec.Cmd) (sample, error) {
	start := time.Now()
	out, err := cmd.CombinedOutput()
	s := sample{wall: time.Since(start)}
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, last(out))
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rss = usage.Maxrss << 10
	}
	return s, nil
}

func last(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// ovi plans in a process of its own, with a record that knows the world from the run before.
func ovi(dir string, n int) (sample, error) {
	home := filepath.Join(dir, "ovi-"+strconv.Itoa(n))
	if _, err := os.Stat(home); err != nil {
		if err := writeConfig(home, n); err != nil {
			return sample{}, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return sample{}, err
	}
	return measure(exec.Command(self, "worker", home, strconv.Itoa(n)))
}
