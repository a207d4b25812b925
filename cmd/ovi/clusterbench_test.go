package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// BenchmarkTableOf100Rows runs whole commands on a table of 100 clusters with the fake engine: plans from
// nothing, and with nothing to do.
func BenchmarkTableOf100Rows(b *testing.B) {
	for name, created := range map[string]bool{"plan from nothing": false, "plan with nothing to do": true} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "clusters.db")
			rows := make([]string, 100)
			for i := range rows {
				rows[i] = fmt.Sprintf("('c%02d', 'k3d', '10.%d.0.0/16', 30080, %d, %d, %d)", i, i+1, 20000+i, 21000+i, 22000+i)
			}
			sqlitetest.Exec(b, path, sqlitetest.Schema(), "INSERT INTO clusters (name, provider, subnet, node_port, pf_port, http_port, https_port) VALUES "+strings.Join(rows, ", "))
			if created {
				runInProcess(b, dir, "apply", "--auto-approve", path)
			}
			for b.Loop() {
				runInProcess(b, dir, "plan", path)
			}
		})
	}
}

// runInProcess runs ovi with the fake engine, which must end with 0.
func runInProcess(b *testing.B, dir string, args ...string) {
	b.Helper()
	out := &cli.Answer{W: io.Discard}
	p := &command.Process{Table: func(*command.Process, hclog.Logger) []provider.Entry { return []provider.Entry{fakeEntry(dir)} }, Process: cli.Process{
		Hard: context.Background(), Env: func(string) (string, bool) { return "", false }, Stdin: strings.NewReader(""), Stdout: out, Answer: out, Stderr: os.Stderr, Now: time.Now,
	}}
	if code := runLine(context.Background(), p, args); code != 0 {
		b.Fatalf("exit code %d", code)
	}
}
