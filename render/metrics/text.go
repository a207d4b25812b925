package metrics

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Family is one metric with its samples, as Prometheus reads it.
type Family struct {
	Name, Help string
	Type       string // Counter, Gauge or Histogram
	Samples    []Sample
}

// The types of families.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// Sample is one value.
type Sample struct {
	Suffix string // of a histogram: "_bucket", "_sum", "_count"
	Labels Labels
	Value  float64
}

// Labels are names and values in turn: "stack", "web".
type Labels []string

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Write writes families in the Prometheus text format, by name. It writes nothing of a family
// without samples. (The client library would do the same and weigh thirty packages; what is
// needed of it is this page, and a test that reads it strictly.)
func Write(w io.Writer, families []Family) error {
	b := bufio.NewWriter(w)
	sorted := slices.SortedStableFunc(slices.Values(families),
		func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range sorted {
		if len(f.Samples) == 0 {
			continue
		}
		_, _ = b.WriteString("# HELP " + f.Name + " " + escapeHelp(f.Help) + "\n# TYPE " + f.Name + " " + f.Type + "\n")
		for _, s := range f.Samples {
			_, _ = b.WriteString(f.Name + s.Suffix)
			writeLabels(b, s.Labels)
			_, _ = b.WriteString(" " + number(s.Value) + "\n")
		}
	}
	return b.Flush() // keeps the first error
}

func writeLabels(b *bufio.Writer, l Labels) {
	if len(l) < 2 {
		return
	}
	sep := "{"
	for i := 0; i+1 < len(l); i += 2 {
		_, _ = b.WriteString(sep + l[i] + `="` + escapeLabel(l[i+1]) + `"`)
		sep = ","
	}
	_ = b.WriteByte('}')
}

func escapeHelp(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s)
}

func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(s, "?"))
}

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
