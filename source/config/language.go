package config

import (
	"slices"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
)

// declare reads the variables, locals and environments of all files. A stack without expressions needs no language.
// The problems are of files of values, or of the environment.
func (l *loader) declare() source.Problems {
	if !l.opts.AskedFor && len(l.opts.Values)+len(l.opts.Set) == 0 && !slices.ContainsFunc(l.files, hasExpressions) {
		return nil
	}
	values, problems := l.values()
	if len(problems) > 0 {
		return problems
	}
	l.public = map[string][]string{}
	options := language.Options{
		Environment: l.opts.Environment, Asked: l.opts.AskedFor, Values: values, Set: l.opts.Set,
		LocationWords: locationWords(l.opts.Options),
		Outside: func(f *input.File, n *source.Node, from, name string) (source.Part, bool) {
			r := l.reader(f)
			r.Public = l.public[f.Name]
			return r.Outside(n, from, name)
		},
		Hide: l.draft.Outside, Depends: l.draft.Sum.Add, KeepOrigins: l.opts.Expanded != nil,
		Environments: l.opts.Environments,
		Wrong: func(at position.Position, ref, summary, suggestion string) {
			if at.File == "" {
				at = l.files[0].At(1, 1)
			}
			l.problem(at, ref, summary, suggestion)
		},
	}
	l.components = component.New(component.Options{
		Files: l.opts.Files, Git: l.opts.Git, Reader: l.reader, Language: options, Schemas: l.opts.Schemas,
		Parse: func(f *input.File) ([]source.Node, source.Problems) { return documents(f, true) },
	})
	l.language = l.components.Language()
	var docs []language.Document
	for _, f := range l.files {
		roots, readable := heads(f)
		if !readable {
			language.Miss(l.language)
		}
		for _, root := range roots {
			for i := range list(root.Get("public")) {
				if item := &root.Get("public").Kids[i]; item.Shape == source.Scalar {
					l.public[f.Name] = append(l.public[f.Name], item.Text)
				}
			}
			docs = append(docs, language.Document{File: f, Root: &root})
		}
	}
	for _, d := range docs {
		l.language.Declare(d)
		l.components.Declare(d.File, d.Root)
	}
	language.BareLocals(l.language)
	if !l.language.EvaluateAll() {
		if problems = undeclared(l.files, read.Spelling(fileKeys(l.opts.Options))); len(problems) > 0 {
			return problems
		}
		_, problems = source.Resolve([]*source.Draft{l.draft})
	}
	return problems
}

// values reads the files of values.
func (l *loader) values() ([]language.Document, source.Problems) {
	if len(l.opts.Values) == 0 {
		return nil, nil
	}
	files, problems := input.Open(l.opts.Values, l.opts.Files)
	var out []language.Document
	for _, f := range files {
		roots, more := documents(f, false)
		problems = append(append(problems, f.Problems...), more...)
		for _, root := range roots {
			out = append(out, language.Document{File: f, Root: &root})
		}
	}
	return out, problems
}

// readDeclared has nothing left to do, unless the key is written so that the language cannot find it.
func (d *document) readDeclared(n *source.Node) {
	if !language.Mentions(d.File.Text) {
		d.Wrong(n, "a key of the file is written with escapes", "write vars, locals and environments in plain letters")
	}
}

// expand returns a document with the values of its expressions, and with the options of the environment.
func (d *document) expand(root *source.Node) *source.Node {
	l := d.l
	if l.language == nil || root.Shape != source.Object {
		return root
	}
	// These keys take no expressions, so that no value from the command line weakens them.
	fixed := []string{"version", "public", "vars", "locals", "environments", "stack", "rules", "removed", "resources"}
	out := *root
	out.Kids = slices.Clone(root.Kids)
	for i := 0; i+1 < len(out.Kids); i += 2 {
		key := out.Kids[i].Text
		switch {
		case key == "stack" || key == "rules" || key == "removed":
			if n := language.FirstExpression(&out.Kids[i+1]); n != nil {
				d.Wrong(n, key+" takes no expressions: a value from the command line could weaken it", "write the value")
				out.Kids[i+1].Bad = true
			}
		case !slices.Contains(fixed, key):
			if key == "outputs" || key == "defaults" {
				language.BarePaths(l.language, d.File, &out.Kids[i+1], "", false)
			}
			v, present := l.language.Expand(d.File, settings.KeepName(key, &out.Kids[i+1]), nil, false)
			if out.Kids[i+1] = v; !present {
				out.Kids = slices.Delete(out.Kids, i, i+2)
				i -= 2
			}
		}
	}
	d.Within = language.Pin(l.language, &out, l.opts.LocationOf)
	if e := l.language.Chosen(); e != nil && e.Options != nil {
		options := *settings.KeepName("options", e.Options)
		if own := out.Get("options"); own != nil {
			options = overlay(own, &options)
			*own = options
		} else {
			key := source.Node{Line: options.Line, Column: options.Column, Text: "options"}
			out.Kids = append(out.Kids, key, options)
		}
	}
	return &out
}

// inEnvironment adds the rules of the environment.
func (d *document) inEnvironment() {
	if d.l.language == nil || d.l.language.Chosen() == nil {
		return
	}
	e := d.l.language.Chosen()
	if e.Rules != nil && d.l.moreRules == nil {
		more := &settings.Settings{Set: map[string]settings.Setting{}}
		s := &settings.Setter{Reader: d.l.reader(e.File), Settings: more, Several: d.Several}
		for _, key := range []string{"drift", "destroy", "attempts"} {
			if n := e.Rules.Get(key); n != nil {
				s.Wrong(n, "rules of an environment have no "+key+": they only add limits", "move it to the rules of the file")
			}
		}
		if n := language.FirstExpression(e.Rules); n != nil {
			s.Wrong(n, "rules take no expressions: a value from the command line could weaken them", "write the value")
			return
		}
		read.Keys(s.Reader, s, settings.RulesKeys(), e.Rules, "rules")
		d.l.moreRules = &more.Rules
	}
}
