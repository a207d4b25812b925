package source

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// ResourceName is the name of a resource in a source: KIND/NAME or PROVIDER/LOCATION/KIND/NAME, after STACK: if another
// stack has it.
type ResourceName struct {
	Text               string
	Provider, Location string // of a name without them
	At                 position.Position
}

// Moved is an entry of `moved`: the resource that was From is To.
type Moved struct{ From, To ResourceName }

// Removed is an entry of `removed`: Ref is no longer configured, and stays if Keep is true.
type Removed struct {
	Ref  ResourceName
	Keep bool
}

// formerName is the former name of a block, and its name.
type formerName struct{ text, of string }

// on returns the former name of a resource of the block.
func (f formerName) on(r resource.Ref) ResourceName {
	text := f.text
	if !strings.Contains(text, "/") {
		stack, name, has := resource.CutStack(text)
		if text = r.Kind + "/" + name; has {
			text = stack + ":" + text
		}
	}
	return ResourceName{Text: text, Provider: r.Provider, Location: r.Location}
}

// Entries reads the lists `moved` and `removed` of a file without values from outside.
type Entries struct {
	At                 func(*Node) position.Position
	Wrong              func(n *Node, summary, suggestion string)
	Provider, Location string // of names without them
}

// Moved reads the renames of a list.
func (e Entries) Moved(n *Node) (out []Moved) {
	e.each(n, "moved", "{from: KIND/NAME, to: KIND/NAME}", []string{"from", "to"}, func(item *Node) {
		out = append(out, Moved{From: e.resourceName(item.Get("from")), To: e.resourceName(item.Get("to"))})
	})
	return out
}

// Removed reads the removals of a list.
func (e Entries) Removed(n *Node) (out []Removed) {
	e.each(n, "removed", "{ref: KIND/NAME, keep: true}", []string{"ref", "keep"}, func(item *Node) {
		keep := item.Get("keep")
		if keep.Type != Bool {
			e.Wrong(keep, "keep must be true or false, got "+keep.What(), "use keep: true")
			return
		}
		out = append(out, Removed{Ref: e.resourceName(item.Get("ref")), Keep: strings.EqualFold(keep.Text, "true")})
	})
	return out
}

func (e Entries) resourceName(n *Node) ResourceName {
	return ResourceName{Text: n.Text, Provider: e.Provider, Location: e.Location, At: e.At(n)}
}

// each reads the entries of a list that have all of these keys, each with one value.
func (e Entries) each(n *Node, list, example string, keys []string, read func(*Node)) {
	if n.Shape != List {
		e.Wrong(n, list+" must be a list, got "+n.Form(), "use "+list+": ["+example+"]")
		return
	}
	for i := range n.Kids {
		if item := &n.Kids[i]; e.complete(item, list, example, keys) {
			read(item)
		}
	}
}

// complete reports what is wrong with an entry.
func (e Entries) complete(item *Node, list, example string, keys []string) bool {
	if item.Shape != Object {
		e.Wrong(item, "an entry of "+list+" must be a block of keys, got "+item.Form(), "use "+example)
		return false
	}
	fine := true
	for i := 0; i+1 < len(item.Kids); i += 2 {
		if key := &item.Kids[i]; !slices.Contains(keys, key.Text) {
			e.Wrong(key, "unknown key "+Quote(key.Text)+" in an entry of "+list, Suggest(key.Text, keys))
			fine = false
		}
	}
	for _, key := range keys {
		switch v := item.Get(key); {
		case v == nil || v.IsNull():
			e.Wrong(item, "an entry of "+list+" has no "+key, "use "+example)
			fine = false
		case v.Shape != Scalar:
			e.Wrong(v, key+" must be one value, got "+v.Form(), "use "+example)
			fine = false
		}
	}
	return fine
}
