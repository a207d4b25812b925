package config_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// manyThings writes a file of n named resources with five attributes and two tags each. In
// a plain one every block is of the simple kind; else each holds something that the YAML
// library must read.
func manyThings(n int, plain bool) string {
	var b strings.Builder
	b.WriteString("version: v1\nprovider: aws\nregion: us-east-1\ndefaults:\n  tags:\n    owner: bench\nresources:\n")
	note := "plain"
	if !plain {
		note = `"a \"quoted\" word"`
	}
	for i := range n {
		fmt.Fprintf(&b, "  - name: web-%06d\n    type: ec2\n    size: t3.%s\n    image: ami-0abcdef\n    key_name: key-%d\n    public_ip: %t\n    user_data: %s\n    tags:\n      environment: prod\n      team: team-%d\n",
			i, []string{"micro", "small", "large"}[i%3], i%50, i%2 == 0, note, i%20)
	}
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, plain := range []bool{true, false} {
			if n == 100_000 && !plain {
				continue
			}
			b.Run(fmt.Sprintf("things=%d/plain=%t", n, plain), func(b *testing.B) {
				text := manyThings(n, plain)
				src := config.New([]string{"ovi.yaml"}, options(fstest.MapFS{"ovi.yaml": {Data: []byte(text)}}))
				held := kept(b, src)
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if in, err := src.Load(context.Background()); err != nil || len(in.Objects) != n {
						b.Fatal(len(in.Objects), err)
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
	in, err := src.Load(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(in)
	return after.HeapAlloc - before.HeapAlloc
}
