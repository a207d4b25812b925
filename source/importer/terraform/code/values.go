package code

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// readValues reads the *.tfvars of a root module: its own files, and those in folders for environments.
func readValues(files fs.FS, dir string) ([]valueFile, error) {
	var out []valueFile
	for _, sub := range []string{"", "env", "envs", "environments", "tfvars", "vars", "config"} {
		at := path.Join(dir, sub)
		if about, err := fs.Stat(files, at); err != nil || !about.IsDir() {
			continue
		}
		names, err := list(files, at)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			env, is := strings.CutSuffix(name, ".tfvars")
			if !is {
				continue
			}
			if sub == "" && (env == "terraform" || strings.HasSuffix(env, ".auto")) {
				env = ""
			}
			if env != "" && !plainName.MatchString(env) {
				return nil, &FileError{
					position.Position{File: path.Join(at, name)},
					"the name of the file is not a name of an environment",
				}
			}
			body, _, err := parse(files, path.Join(at, name))
			if err != nil {
				return nil, err
			}
			out = append(out, valueFile{path.Join(at, name), env, body})
		}
	}
	return out, nil
}

// writeEnvironments writes the environments, and the values that are set in all of them as defaults.
func (m *module) writeEnvironments(vars *yaml.Node, out *Result) *yaml.Node {
	envs := map[string]*yaml.Node{}
	for _, name := range out.Environments {
		envs[name] = &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	}
	for _, f := range m.in.values {
		for _, a := range sortedAttributes(f.body) {
			v := m.vars[a.Name]
			if v == nil {
				m.notes.at(a.SrcRange, "the value of "+a.Name+" has no variable", "declare the variable or remove the value")
				continue
			}
			if v.secret {
				m.notes.at(a.SrcRange, "var."+a.Name+" is a secret: its value is not written", v.advice())
				continue
			}
			n, err := (&scope{m: m}).node(a.Expr, resource.Attribute{})
			if err != nil {
				m.notes.failed("var."+a.Name, a.SrcRange, err)
				continue
			}
			m.marks[n] = a.SrcRange
			if f.env == "" {
				setDefault(vars, a.Name, n)
				v.valued = true
				continue
			}
			v.given = append(v.given, f.env)
			set(envs[f.env], a.Name, n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.vars)) {
		v := m.vars[name]
		inAll := len(out.Environments) > 0
		for _, e := range out.Environments {
			inAll = inAll && valueAt(envs[e], name) != nil
		}
		asked := v.secret && secretType(v.typ) != "secret" // its value is not written
		if asked || v.fallback == nil && !v.valued && !v.secret && !inAll {
			out.Missing = append(out.Missing, name)
		}
	}
	all := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range out.Environments {
		e := &yaml.Node{Kind: yaml.MappingNode}
		if len(envs[name].Content) > 0 {
			envs[name].Style = 0
			set(e, "vars", envs[name])
		} else {
			e.Style = yaml.FlowStyle
		}
		set(all, name, e)
	}
	return all
}

// valueAt is the value of a key.
func valueAt(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// setDefault replaces the default of a variable.
func setDefault(vars *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i+1 < len(vars.Content); i += 2 {
		if vars.Content[i].Value != name {
			continue
		}
		n := vars.Content[i+1]
		if n.Kind != yaml.MappingNode {
			vars.Content[i+1] = v
			return
		}
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == "default" {
				n.Content[j+1] = v
				return
			}
		}
		set(n, "default", v)
	}
}
