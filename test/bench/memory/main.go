// Command memory measures the commands that query the audit log, each as a whole process, on the
// log of a year: 10,000 resources observed again and again, mostly without changes, with drift,
// repairs, creates and deletes, a resource that flaps all year and one whose deletion a policy
// blocks all year. The log is written by the real ledger.
//
//	go run ./test/bench/memory -events 100000,1000000
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	sizes := flag.String("events", "100000", "how many events, several with commas between")
	keep := flag.String("keep", "", "make the records in `DIR`, keep them, and use those that are there")
	program := flag.String("ovi", "", "the binary to measure; built if none is named")
	rounds := flag.Int("rounds", 3, "how often each command runs; one more run warms up")
	only := flag.String("only", "", "only commands that contain this")
	beside := flag.Bool("beside", true, "also find the thing's records with grep and jq in an export")
	flag.Parse()
	dir, err := location(*keep)
	if err != nil {
		return err
	}
	if *keep == "" {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	if *program == "" {
		*program = filepath.Join(dir, "ovi")
		build := exec.CommandContext(ctx, "go", "build", "-o", *program, "./cmd/ovi")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build ovi (run this in the repository): %w", err)
		}
	}
	var page bytes.Buffer
	for size := range strings.SplitSeq(*sizes, ",") {
		var events int
		if _, err := fmt.Sscan(size, &events); err != nil {
			return err
		}
		r, err := prepare(ctx, dir, events)
		if err != nil {
			return err
		}
		r.program, r.rounds, r.only = *program, *rounds, *only
		if err := r.measure(ctx, &page, *beside); err != nil {
			return err
		}
	}
	_, err = os.Stdout.Write(page.Bytes())
	return err
}

func location(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "ovi-memory-")
	}
	dir, err := filepath.Abs(keep)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}
