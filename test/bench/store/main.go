// Command store measures ovi's store beside what others would use, on this machine, in one
// run: each system in its own process, the systems taking turns, the medians of the rounds.
//
//	go run . -rounds 5
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	rounds := flag.Int("rounds", 5, "how often each system is measured")
	sizes := flag.String("sizes", "10000,100000", "how many things")
	out := flag.String("out", "", "write the tables to this file")
	only := flag.String("only", "", "only systems whose name contains this")
	child := flag.String("child", "", "measure one system, print JSON (used by itself)")
	n := flag.Int("n", 0, "how many things (with -child)")
	flag.Parse()
	if *child != "" {
		return measure(ctx, *child, *n)
	}
	var page bytes.Buffer
	header(&page)
	for size := range strings.SplitSeq(*sizes, ",") {
		var resources int
		if _, err := fmt.Sscan(size, &resources); err != nil {
			return err
		}
		results, err := interleave(ctx, resources, *rounds, *only)
		if err != nil {
			return err
		}
		table(&page, resources, *rounds, results)
		summary(&page, results)
	}
	if err := special(ctx, &page, *rounds); err != nil {
		return err
	}
	os.Stdout.Write(page.Bytes())
	if *out == "" {
		return nil
	}
	return os.WriteFile(*out, page.Bytes(), 0o644)
}

// interleave runs the systems in turn, round after round, so that a busy moment of the
// machine does not hit one of them alone.
func interleave(ctx context.Context, n, rounds int, only string) (map[string][]result, error) {
	results := map[string][]result{}
	for round := range rounds {
		for _, c := range contenders() {
			if !strings.Contains(c.name, only) || c.name == "etcd, embedded" && n > 10_000 {
				continue
			}
			fmt.Fprintf(os.Stderr, "%d things, round %d: %s\n", n, round+1, c.name)
			r, err := spawn(ctx, c.name, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			results[c.name] = append(results[c.name], r)
		}
	}
	return results, nil
}

func spawn(ctx context.Context, name string, n int) (result, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-child", name, "-n", fmt.Sprint(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, err
	}
	var r result
	return r, json.Unmarshal(out, &r)
}
