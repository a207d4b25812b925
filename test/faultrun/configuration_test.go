package faultrun

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// configured is the configuration: a number of resources, two fifths of them servers and the rest
// disks. It changes during the run.
type configured struct {
	file      string
	rng       *rand.Rand
	version   int
	resources []res
}

type res struct {
	kind, name string
	there      bool
	size       int // of a disk in GiB; of a server an index into sizes
	label      int // a tag
}

var serverSizes = []string{"t3.micro", "t3.small", "t3.medium"}

func newConfigured(file string, n int, seed uint64) *configured {
	w := &configured{file: file, rng: rand.New(rand.NewPCG(seed, 2))}
	for i := range n {
		kind := "ebs"
		if i%5 < 2 {
			kind = "ec2"
		}
		w.resources = append(w.resources, res{kind: kind, name: fmt.Sprintf("%s-%03d", kind, i), there: true})
	}
	return w
}

// change adds and removes some resources, and changes the labels and sizes of others.
func (w *configured) change() {
	for i := range w.resources {
		t := &w.resources[i]
		switch p := w.rng.Float64(); {
		case p < 0.03:
			t.there = !t.there
		case p < 0.08:
			t.label++
		case p < 0.09 && t.kind == "ec2":
			t.size = (t.size + 1) % len(serverSizes)
		}
	}
}

// relabel changes everything.
func (w *configured) relabel() {
	for i := range w.resources {
		w.resources[i].label++
	}
}

func (w *configured) write(t testing.TB) {
	t.Helper()
	w.version++
	var b strings.Builder
	fmt.Fprintf(&b, "# %d\nversion: v1\nstack: faults\nprovider: aws\nregion: us-east-1\nrules: {max_destroy: 100%%}\nresources:\n", w.version)
	for _, one := range w.resources {
		if !one.there {
			continue
		}
		size := fmt.Sprint(10)
		if one.kind == "ec2" {
			size = serverSizes[one.size%len(serverSizes)]
		}
		fmt.Fprintf(&b, "  - {type: %s, name: %s, size: %s, tags: {label: l%d}", one.kind, one.name, size, one.label)
		if one.kind == "ebs" {
			b.WriteString(", zone: us-east-1a")
		}
		b.WriteString("}\n")
	}
	if err := replace(w.file, []byte(b.String())); err != nil {
		t.Fatal(err)
	}
}

// desired are the refs of the last configuration as they are in tags: without the account.
func (w *configured) desired() map[string]bool {
	out := map[string]bool{}
	for _, one := range w.resources {
		if one.there {
			out["aws/us-east-1/"+one.kind+"/"+one.name] = true
		}
	}
	return out
}

// version is the number in a configuration file.
func version(file string) (string, error) {
	b, err := os.ReadFile(file)
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return strings.TrimPrefix(string(line), "# "), err
}
