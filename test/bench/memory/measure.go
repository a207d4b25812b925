package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// rig is one data directory and its measurements.
type rig struct {
	dir     string
	events  int
	program string
	rounds  int
	only    string
}

// prepare writes the data directory of a size, or uses an existing one.
func prepare(ctx context.Context, dir string, events int) (*rig, error) {
	r := &rig{dir: filepath.Join(dir, fmt.Sprint(events)), events: events}
	if _, err := os.Stat(filepath.Join(r.dir, "whole")); err == nil {
		return r, nil
	}
	if err := errors.Join(os.RemoveAll(r.dir), os.MkdirAll(r.dir, 0o700)); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := write(ctx, r.dir, events); err != nil {
		return nil, fmt.Errorf("make the record: %w", err)
	}
	fmt.Fprintf(os.Stderr, "a record of %d events made in %s\n", events, time.Since(start).Round(time.Second))
	config := fmt.Sprintf("version: v1\nprovider: aws\nregion: %s\nstack: %s\nresources:\n  - type: ec2\n    name: %s\n "+
		"   size: %s\n", regions()[0], stack, refOf(9000).Name, sizeWas)
	return r, errors.Join(
		os.WriteFile(filepath.Join(r.dir, "ovi.yaml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(r.dir, "whole"), nil, 0o600))
}

// task is a command line; codes are the expected exit codes.
type task struct {
	what  string
	args  []string
	shell string
	codes []int
}

func (r *rig) tasks() []task {
	ovi := func(what string, codes []int, args ...string) task { return task{what: what, args: args, codes: codes} }
	name := func(n int) string { return "ec2/" + refOf(n).Name }
	middle, later := started().Add(year/2), started().Add(year/2+24*time.Hour)
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	ok := []int{0}
	return []task{
		ovi("why, of a thing of which little is on record", ok, "why", name(9005)),
		ovi("why, of a thing that was deleted", ok, "why", name(10)),
		ovi("why, of one that is blocked all year", ok, "why", name(blessed)),
		ovi("why, of one that flaps all year", ok, "why", name(flapper)),
		ovi("why --all, of one that flaps all year", ok, "why", "--all", name(flapper)),
		ovi("history, of a thing of which little is on record", ok, "history", name(9005)),
		ovi("history, of one that flaps all year", ok, "history", name(flapper)),
		ovi("show", ok, "show", name(9005)),
		ovi("show --at, half a year ago", ok, "show", name(9005), "--at", at(middle)),
		ovi("diff, of a day half a year ago", ok, "diff", at(middle), at(later)),
		ovi("diff, of the year", ok, "diff", at(started().Add(time.Hour)), at(started().Add(year-time.Hour))),
		ovi("plan --at, half a year ago", []int{0, 2, 4}, "plan", "--at", at(middle)),
		ovi("audit log of a thing", ok, "audit", "log", name(9005)),
		ovi("audit log of a day", ok, "audit", "log", "--since", at(middle), "--until", at(later)),
		ovi("inventory", ok, "inventory"),
		ovi("status", []int{0, 2}, "status"),
	}
}

// measure writes the table of one data directory.
func (r *rig) measure(ctx context.Context, page io.Writer, beside bool) error {
	log, store, err := r.sizes()
	if err != nil {
		return err
	}
	fmt.Fprintf(page, "\n%d events: the log %d MB, the store %d MB\n\n| command | wall, median (least to most) | memory "+
		"of its own, most | with the store's pages | lines |\n|---|---:|---:|---:|---:|\n", r.events, log>>20, store>>20)
	tasks := r.tasks()
	if beside {
		export := filepath.Join(r.dir, "export.jsonl")
		ref := refOf(9005).String()
		tasks = append(tasks,
			task{what: "audit export to a file", shell: r.program + " audit export > " + export, codes: []int{0}},
			task{what: "beside it: grep for the thing in that file", shell: "grep -F '" + ref + "' " + export, codes: []int{0}},
			task{
				what:  "beside it: jq for the thing's records in that file",
				shell: `jq -c 'select(.ref == "` + ref + `")' ` + export, codes: []int{0},
			})
	}
	for _, t := range tasks {
		if !strings.Contains(t.what, r.only) {
			continue
		}
		if err := r.one(ctx, page, t); err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
	}
	return nil
}

func (r *rig) one(ctx context.Context, page io.Writer, t task) error {
	var took []time.Duration
	var most, heap int64
	lines := 0
	for i := range r.rounds + 1 {
		cmd := exec.CommandContext(ctx, r.program, t.args...)
		if t.shell != "" {
			cmd = exec.CommandContext(ctx, "sh", "-c", t.shell)
		}
		cmd.Dir = r.dir
		cmd.Env = append(os.Environ(), "TZ=UTC")
		var out, complaint bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaint
		start := time.Now()
		err := cmd.Start()
		if err != nil {
			return err
		}
		own := watch(cmd.Process.Pid)
		err = cmd.Wait()
		wall, mine := time.Since(start), own()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		if code := cmd.ProcessState.ExitCode(); !slices.Contains(t.codes, code) {
			return fmt.Errorf("exit code %d: %s%s", code, complaint.String(), out.String())
		}
		if i == 0 {
			continue
		}
		took, heap = append(took, wall), max(heap, mine)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			most = max(most, usage.Maxrss)
		}
		lines = bytes.Count(out.Bytes(), []byte{'\n'})
	}
	slices.Sort(took)
	if len(took) == 0 {
		return errors.New("at least one round")
	}
	round := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	fmt.Fprintf(os.Stderr, "%9s %6d MB %s\n", round(took[len(took)/2]), most>>10, t.what)
	_, err := fmt.Fprintf(page, "| %s | %s (%s to %s) | %d MB | %d MB | %d |\n", t.what, round(took[len(took)/2]),
		round(took[0]), round(took[len(took)-1]), heap>>10, most>>10, lines)
	return err
}

// sizes are the bytes of the log and of the store.
func (r *rig) sizes() (log, store int64, err error) {
	err = filepath.WalkDir(filepath.Join(r.dir, ".ovi"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".db") {
			store += info.Size()
		} else {
			log += info.Size()
		}
		return nil
	})
	return log, store, err
}
