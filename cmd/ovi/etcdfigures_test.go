package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

// TestEtcdFigures measures what docs/dev/evidence.md prints of commands on etcd: how long they
// take and how many requests etcd answers for them. It runs only when asked to.
func TestEtcdFigures(t *testing.T) {
	if os.Getenv("OVI_FIGURES") == "" {
		t.Skip("set OVI_FIGURES=1: some ten minutes")
	}
	for _, n := range []int{1_000, 10_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := siteOn(t, etcdtest.Start(t), fleet(n))
			for _, step := range []struct {
				what, codes string
				args        []string
			}{
				{"first plan", "0", []string{"plan", "--sandbox"}},
				{"first apply", "0", []string{"apply", "--sandbox", "--auto-approve", "--parallelism", "50"}},
				{"first plan by another", "0", []string{"plan", "--sandbox"}},
				{"plan with nothing to do", "0", []string{"plan", "--sandbox"}},
				{"apply with nothing to do", "0", []string{"apply", "--sandbox", "--auto-approve"}},
				{"status", "0", []string{"status"}},
				{"why", "0", []string{"why", "ec2/web-1"}},
			} {
				who := "ann"
				if strings.HasSuffix(step.what, "another") {
					who = "bob"
				}
				before, begun := s.requests(), time.Now()
				out := s.run(who, step.codes, step.args...)
				took, after := time.Since(begun), s.requests()
				if len(out) == 0 {
					t.Error("it said nothing")
				}
				t.Logf("%d things, %s: %.2f s, %s", n, step.what, took.Seconds(), difference(before, after))
			}
		})
	}
}

// requests says how often etcd answered which method.
func (s *site) requests() map[string]int {
	s.t.Helper()
	r, err := http.Get("http://" + s.server.Endpoint + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	out := map[string]int{}
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), "{")
		if name != "grpc_server_started_total" {
			continue
		}
		_, method, _ := strings.Cut(rest, `grpc_method="`)
		method, _, _ = strings.Cut(method, `"`)
		var n float64
		if _, err := fmt.Sscan(rest[strings.LastIndexByte(rest, ' ')+1:], &n); err != nil {
			s.t.Fatal(err)
		}
		out[method] += int(n)
	}
	return out
}

func difference(before, after map[string]int) string {
	sum, parts := 0, []string{}
	for method, n := range after {
		if d := n - before[method]; d > 0 {
			sum += d
			parts = append(parts, fmt.Sprintf("%s %d", method, d))
		}
	}
	sort.Strings(parts)
	return fmt.Sprintf("%d requests to etcd (%s)", sum, strings.Join(parts, ", "))
}
