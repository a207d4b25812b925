package config

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/syntax"
)

const (
	likeTerraform   = "the file looks like Terraform (HCL)"
	terraformAdvice = "write YAML, or run `ovi import terraform --source FOLDER`, see docs/adopt.md"
)

// unparsed returns the problem of a file that cannot be parsed.
func unparsed(f *input.File, err error) source.Problem {
	var at *syntax.Error
	switch {
	case errors.As(err, &at):
		return source.Problem{
			At: f.At(at.Line, at.Col), Summary: at.Msg,
			Suggestion: cmp.Or(at.Suggestion, "check the commas, quotes and brackets near this position"),
		}
	case looksLikeTerraform(f.Text):
		return source.Problem{
			At: f.At(1, 1), Summary: likeTerraform, Suggestion: terraformAdvice,
		}
	}
	e := syntax.Failure(f.Text, "resources", err)
	return source.Problem{At: f.At(e.Line, e.Col), Summary: e.Msg, Suggestion: e.Suggestion}
}

// undeclared returns the problems that make what files declare unknown: a file that cannot be read, one of another
// tool, and a misspelled key of a file. Problems about what is missing follow from them, and are not reported.
func undeclared(files []*input.File, keys []string) (out source.Problems) {
	for _, f := range files {
		if len(f.Problems) > 0 {
			out = append(out, f.Problems...)
			continue
		}
		roots, problems := documents(f, true)
		out = append(out, problems...)
		for i := range roots {
			root := &roots[i]
			out = append(out, misread(f, root)...)
			out = append(out, misspelled(f, root, keys)...)
		}
	}
	return out
}

// misspelled returns the problem of a key that means environments.
func misspelled(f *input.File, root *source.Node, keys []string) (out source.Problems) {
	if root.Shape != source.Object || root.Get("environments") != nil {
		return nil
	}
	otherwise := []string{"env", "envs", "environment", "workspace", "workspaces"}
	for i := 0; i+1 < len(root.Kids); i += 2 {
		k := &root.Kids[i]
		if near, _ := resource.Nearest(k.Text, keys); near == "environments" || slices.Contains(otherwise, k.Text) {
			out = append(out, source.Problem{
				At: f.At(k.Line, k.Column), Summary: "unknown key " + source.Quote(k.Text) + " in the file",
				Suggestion: "use environments",
			})
		}
	}
	return out
}

// misread returns the problem of a document of another tool or form.
func misread(f *input.File, root *source.Node) source.Problems {
	p := source.Problem{At: f.At(root.Line, root.Column)}
	what, advice := ofOtherTool(root)
	switch {
	case root.Shape == source.Scalar && looksLikeTerraform(f.Text):
		p.Summary, p.Suggestion = likeTerraform, terraformAdvice
	case what != "":
		p.Summary, p.Suggestion = "the file looks like "+what, advice
	case root.IsNull():
		p.Summary, p.Suggestion = "the document is empty", "remove the --- line that starts it"
	case root.Shape != source.Object:
		p.Summary, p.Suggestion = "the file must be a block of keys, got "+root.Form(), "use KEY: VALUE lines"
	default:
		return nil
	}
	return source.Problems{p}
}
