package config_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// manyResources writes a file of n named resources with five attributes and two tags each. Those with
// references name two other things; folded ones hold a text of several lines.
func manyResources(n int, sort string) string {
	var b strings.Builder
	b.WriteString("version: v1\nprovider: aws\nregion: us-east-1\ndefaults:\n  tags:\n    owner: bench\nresources:\n")
	b.WriteString("  - {type: subnet, name: app}\n  - {type: security_group, name: web}\n")
	note := "user_data: plain"
	switch sort {
	case "folded":
		note = "user_data: >-\n      a folded\n      text"
	case "references":
		note = "subnet: app\n    security_groups: [web]"
	}
	for i := range n - 2 {
		fmt.Fprintf(&b, "  - name: web-%06d\n    type: ec2\n    size: t3.%s\n    image: ami-0abcdef\n"+
			"    key_name: key-%d\n    public_ip: %t\n    %s\n    tags:\n      environment: prod\n      team: team-%d\n",
			i, []string{"micro", "small", "large"}[i%3], i%50, i%2 == 0, note, i%20)
	}
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, sort := range []string{"plain", "references", "folded"} {
			if n == 100_000 && sort == "folded" {
				continue
			}
			b.Run(fmt.Sprintf("things=%d/%s", n, sort), func(b *testing.B) {
				text := manyResources(n, sort)
				src := config.New([]string{"ovi.yaml"}, options(fstest.MapFS{"ovi.yaml": {Data: []byte(text)}}))
				held := kept(b, src)
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if in, err := loadFrom(src); err != nil || len(in.Resources) != n {
						b.Fatal(len(in.Resources), err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/thing")
				b.ReportMetric(float64(held)/float64(n), "kept-B/thing")
			})
		}
	}
}

// kept is the memory that an intent holds once it is loaded.
func kept(b *testing.B, src source.Source) uint64 {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in, err := loadFrom(src)
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(in)
	return after.HeapAlloc - before.HeapAlloc
}
