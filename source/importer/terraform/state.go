// Package terraform reads the state files of Terraform and OpenTofu, of which it takes what exists under which
// address. It never returns other attributes, because a state has secrets in plain text.
package terraform

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
)

// Resource is a resource of a state.
type Resource struct {
	Address string // module.app.aws_instance.web[0]
	Type    string // aws_instance
	Name    string // what to call it here: app-web-0
	ID      string // by which the kind's provider knows it; "" if the type is not known
	Known   provider.Foreign
	Modules [][2]string // the modules that it is in: their names and keys
	Own     string      // its name in its module: web
	Index   string      // its key or number; "" if it has none
}

// version is that of the files of Terraform since 0.12 and of OpenTofu.
const version = 4

type file struct {
	Version   int         `json:"version"`
	Format    string      `json:"format_version"` // only in the output of `terraform show -json`
	Resources []component `json:"resources"`
}

type component struct {
	Module    string     `json:"module"`
	Mode      string     `json:"mode"`
	Type      string     `json:"type"`
	Name      string     `json:"name"`
	Instances []instance `json:"instances"`
}

type instance struct {
	Index      any             `json:"index_key"`
	Deposed    string          `json:"deposed"`
	Attributes json.RawMessage `json:"attributes"`
}

// Read returns the managed resources of a state, in its order. types are the types that a provider knows. An object
// that is left over from a replacement ("deposed") is not returned.
func Read(text []byte, types map[string]provider.Foreign) ([]Resource, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("not a Terraform state: %w", err)
	}
	if f.Format != "" {
		return nil, errors.New("it is the output of `terraform show -json`, and no state")
	}
	if f.Version == 0 {
		return nil, errors.New("not a Terraform state: it has no version")
	}
	if f.Version != version {
		return nil, fmt.Errorf("a state of version %d is not supported, only version %d (Terraform 0.12 and later)",
			f.Version, version)
	}
	var out []Resource
	for _, r := range f.Resources {
		if r.Mode != "managed" {
			continue
		}
		for _, i := range r.Instances {
			if i.Deposed != "" {
				continue
			}
			x := Resource{
				Address: address(r, i.Index), Type: r.Type, Name: nameOf(r, i.Index),
				Modules: steps(r.Module), Own: r.Name, Index: indexText(i.Index),
			}
			if known, ok := types[r.Type]; ok {
				x.Known = known
				id, err := idOf(i.Attributes, known)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", x.Address, err)
				}
				x.ID = id
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// idOf is the attribute that identifies a resource.
func idOf(attributes json.RawMessage, known provider.Foreign) (string, error) {
	if known.PartOf != "" {
		return "", nil
	}
	key := known.ID
	if key == "" {
		key = "id"
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(attributes, &all); err != nil {
		return "", fmt.Errorf("its attributes cannot be read: %w", err)
	}
	var parts []string
	for name := range strings.SplitSeq(key, "/") {
		var part string
		if err := json.Unmarshal(all[name], &part); err != nil || part == "" {
			return "", fmt.Errorf("its attribute %s is not set", name)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/"), nil
}

// address is how Terraform calls an instance.
func address(c component, index any) string {
	out := c.Type + "." + c.Name
	if c.Module != "" {
		out = c.Module + "." + out
	}
	switch x := index.(type) {
	case string:
		out += "[" + strconv.Quote(x) + "]"
	case float64:
		out += "[" + strconv.FormatFloat(x, 'f', -1, 64) + "]"
	}
	return out
}

// nameOf joins the modules, the name and the index of an instance. "this" and "main" are names that say nothing inside
// of a module.
func nameOf(c component, index any) string {
	var parts []string
	for _, s := range steps(c.Module) { // module.app["blue"].module.db is app, blue, db
		parts = append(parts, s[0])
		if s[1] != "" {
			parts = append(parts, s[1])
		}
	}
	if len(parts) == 0 || c.Name != "this" && c.Name != "main" {
		parts = append(parts, c.Name)
	}
	if x := indexText(index); x != "" {
		parts = append(parts, x)
	}
	return strings.Join(parts, "-")
}

// indexText is the key or the number of an instance; "" if it has none.
func indexText(index any) string {
	switch x := index.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return ""
}

// steps are the names of the modules in a path, each with its index.
func steps(path string) [][2]string {
	var out [][2]string
	for path != "" {
		path = strings.TrimPrefix(strings.TrimPrefix(path, "."), "module.")
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(out, [2]string{path})
		}
		out = append(out, [2]string{path[:end]})
		if path = path[end:]; path[0] != '[' {
			continue
		}
		index, rest := cutIndex(path)
		if index == "" {
			return out
		}
		out[len(out)-1][1], path = index, rest
	}
	return out
}

// cutIndex takes ["key"] or [0] from the start of a path. index is "" if it has no end.
func cutIndex(path string) (index, rest string) {
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
		key, err := strconv.Unquote(quoted)
		if err != nil {
			return "", ""
		}
		return key, strings.TrimPrefix(path[1+len(quoted):], "]")
	}
	number, rest, _ := strings.Cut(path[1:], "]")
	return number, rest
}
