// Command plan measures a plan of N unchanged resources in a process of its own: it reads the
// configuration file, opens the data directory, observes, compares, decides and prints. The live
// state is in memory, so that only ovi is measured, without a provider's calls and without the
// command line of the ovi binary.
//
//	go run ./test/bench/plan                      1,000 and 10,000 and 100,000 resources
//	go run ./test/bench/plan -against FILE        side by side with this command, built from an older commit
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
	sizes := flag.String("sizes", "1000,10000,100000", "how many resources ovi plans")
	runs := flag.Int("runs", 5, "runs of each; the median counts")
	against := flag.String("against", "", "this command, built from an older commit: its runs alternate with the others")
	key := flag.String("against-key", "location", "the key of the location in the configuration files of -against")
	flag.Parse()
	dir, err := os.MkdirTemp("", "ovi-bench-plan-")
	exitOn(err)
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	exitOn(err)
	fmt.Println("| program | resources | wall, median (min to max) | CPU, median | memory, most |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, size := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil {
			continue
		}
		series := []contender{{"ovi plan", func() (sample,
			error,
		) {
			return ovi(self, filepath.Join(dir, "ovi"), "location", n)
		}}}
		if *against != "" {
			series = append(series, contender{
				"the older build",
				func() (sample, error) { return ovi(*against, filepath.Join(dir, "older"), *key, n) },
			})
		}
		exitOn(report(n, *runs, series...))
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// sample is what one process took.
type sample struct {
	wall time.Duration
	cpu  time.Duration
	rss  int64 // bytes
}

// contender is a program that is measured.
type contender struct {
	name string
	once func() (sample, error)
}

// report runs each contender once to warm up, then measures: their runs alternate, so that what
// else the machine does meets all of them.
func report(n, runs int, all ...contender) error {
	walls, cpus, most := make([][]time.Duration, len(all)), make([][]time.Duration, len(all)), make([]int64, len(all))
	for run := range runs + 1 {
		for i, c := range all {
			s, err := c.once()
			if err != nil {
				return fmt.Errorf("%s of %d: %w", c.name, n, err)
			}
			if run > 0 {
				walls[i], cpus[i], most[i] = append(walls[i], s.wall), append(cpus[i], s.cpu), max(most[i], s.rss)
			}
		}
	}
	for i, c := range all {
		slices.Sort(walls[i])
		slices.Sort(cpus[i])
		fmt.Printf("| %s | %d | %s (%s to %s) | %s | %d MB |\n", c.name, n,
			short(walls[i][runs/2]), short(walls[i][0]), short(walls[i][runs-1]), short(cpus[i][runs/2]), most[i]>>20)
	}
	return nil
}

func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// ovi plans in a process of its own, with a data directory that holds the observations of the run
// before.
func ovi(program, dir, key string, n int) (sample, error) {
	home := dir + "-" + strconv.Itoa(n)
	if _, err := os.Stat(home); err != nil {
		if err := writeConfig(home, key, n); err != nil {
			return sample{}, err
		}
	}
	cmd := exec.Command(program, "worker", home, strconv.Itoa(n))
	start := time.Now()
	out, err := cmd.CombinedOutput()
	s := sample{wall: time.Since(start)}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return s, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rss = usage.Maxrss << 10
	}
	return s, nil
}
