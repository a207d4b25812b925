// Command podman measures ovi with containers beside `podman kube play` and a plain loop of podman
// commands, on the host that CONTAINER_HOST names: it creates N containers, does it again with
// nothing to do, and again with one of them changed. Their runs alternate.
//
//	examples/shop/images                     makes the image
//	go run ./test/bench/podman -ovi bin/ovi       20 containers, 5 runs; a service must listen on CONTAINER_HOST
//
// It removes the containers and pods that it made, and no others.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

// contender is a way to run containers. Each of its methods is measured.
type contender interface {
	name() string
	write(version string) error // the configuration; only the first container has a version
	apply() error
	remove() error
}

// phase is what one apply does.
type phase struct {
	name    string
	version string
}

func phases() []phase {
	return []phase{{"first apply", "1"}, {"nothing to do", "1"}, {"one changed", "2"}}
}

// sample is one apply.
type sample struct {
	wall    time.Duration
	calls   int // requests to Podman's API, of ovi
	started int // containers that run since, or again
}

func main() {
	ovi := flag.String("ovi", "bin/ovi", "the ovi binary")
	image := flag.String("image", "localhost/shop:1", "the image")
	n := flag.Int("n", 20, "how many containers")
	runs := flag.Int("runs", 5, "runs of each; the median counts")
	flag.Parse()
	if err := run(*ovi, *image, *n, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ovi, image string, n, runs int) error {
	dir, err := os.MkdirTemp("", "ovi-bench-podman-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	counted, err := countCalls(dir, os.Getenv("CONTAINER_HOST"))
	if err != nil {
		return err
	}
	all := []contender{
		&oviChart{bin: ovi, dir: dir, image: image, n: n, host: counted.address},
		&kubePlay{dir: dir, image: image, n: n},
		&loop{image: image, n: n},
	}
	samples := map[string][]sample{}
	for i := range runs + 1 { // the first warms up
		for _, c := range all {
			if err := once(c, counted, i > 0, samples); err != nil {
				return fmt.Errorf("%s: %w", c.name(), err)
			}
		}
	}
	report(all, samples, runs)
	return nil
}

// once measures the phases of one contender.
func once(c contender, counted *counter, counts bool, samples map[string][]sample) (err error) {
	defer func() {
		if failed := c.remove(); err == nil {
			err = failed
		}
	}()
	for _, p := range phases() {
		if err := c.write(p.version); err != nil {
			return err
		}
		before, err := running()
		if err != nil {
			return err
		}
		counted.take()
		start := time.Now()
		if err := c.apply(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		s := sample{wall: time.Since(start), calls: counted.take()}
		after, err := running()
		if err != nil {
			return err
		}
		for id, since := range after {
			if before[id] != since {
				s.started++
			}
		}
		if counts {
			samples[c.name()+p.name] = append(samples[c.name()+p.name], s)
		}
	}
	return nil
}

func report(all []contender, samples map[string][]sample, runs int) {
	fmt.Println("| program | apply | wall, median (min to max) | containers started | API requests |")
	fmt.Println("|---|---|---:|---:|---:|")
	for _, p := range phases() {
		for _, c := range all {
			of := samples[c.name()+p.name]
			slices.SortFunc(of, func(a, b sample) int { return int(a.wall - b.wall) })
			calls := ""
			if m := of[runs/2].calls; m > 0 {
				calls = fmt.Sprint(m)
			}
			fmt.Printf("| %s | %s | %s (%s to %s) | %d | %s |\n", c.name(), p.name,
				short(of[runs/2].wall), short(of[0].wall), short(of[runs-1].wall), of[runs/2].started, calls)
		}
	}
}

func short(d time.Duration) string { return d.Round(time.Millisecond).String() }
