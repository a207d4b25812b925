package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/read"
)

// readOutputs reads the values that the stack publishes. Short references in them are of the location.
func readOutputs(d *read.Reader, location string, n *source.Node) {
	if n.Shape != source.Object {
		d.Wrong(n, "outputs must be a map of names, got "+n.Form(), "use NAME: VALUE lines")
		return
	}
	d.Duplicates(n)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		k, v := &n.Kids[i], &n.Kids[i+1]
		if summary, suggestion := component.CheckOutput(k.Text, v); summary != "" {
			d.Wrong(k, summary, suggestion)
			continue
		}
		if seen[k.Text] { // it is reported
			continue
		}
		seen[k.Text] = true
		d.ExpandAll(v)
		source.AddOutput(d.Draft, source.Output{
			Name: k.Text, Value: *v, At: d.File.At(k.Line, k.Column), Provider: d.Provider, Location: location,
		})
	}
}
