package reconcile

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/render/renamed"
	"github.com/ovi-project/ovi/resource"
)

// renames lists the renames that the configuration may mean and does not declare.
func renames(c *command.Call, p *engine.Planned) []renamed.Group {
	return renamed.Groups(p.Plan, renamed.Record{
		At: p.ResourceAt, Last: p.LastConfigured, Kinds: command.Schemas(c.Process).Kind, Lines: linesOf,
		Configured: func(block resource.Ref) bool {
			return slices.ContainsFunc(p.Intents, func(in resource.Intent) bool {
				return slices.ContainsFunc(in.Resources, func(d resource.Desired) bool {
					return d.Ref == block || resource.SetOf(&d) == block
				})
			})
		},
	})
}

// linesOf names the lines that declare the rename of a resource: a table has none.
func linesOf(d *resource.Desired) renamed.Lines {
	switch {
	case d.At.Cell != "":
		return renamed.Lines{}
	case d.Ref.Provider == edge.Name:
		return renamed.Lines{Block: "the deployment", File: "site.yaml"}
	case strings.Contains("/"+d.At.File, "/templates/"):
		lines := renamed.Lines{Block: "the metadata", File: "Chart.yaml"}
		if namespace, _, is := strings.Cut(d.Ref.Stack, "."); is && strings.HasPrefix(d.Ref.Name, namespace+"-") {
			lines.Prefix = namespace + "-"
		}
		return lines
	}
	return renamed.Lines{Block: "the block", File: "the file"}
}
