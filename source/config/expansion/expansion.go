package expansion

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// Concealed replaces a secret that is written in the configuration. As a value it is an error that tells so.
const Concealed = "${secret:not-shown}"

// Block is one resource of a configuration, or a count of them.
type Block struct {
	Provider, Location, Kind, Name string
	Count                          int // 0 if the block has no count
	At                             position.Position
	Keys                           []Key // in the order of the block
}

// Key is one key of a block with its value.
type Key struct {
	Name  string
	Value Value
}

// Value is a scalar, a list or a map, with its origin.
type Value struct {
	Text string // of a scalar
	// Plain reports that the scalar is a number, or true or false, and not a string.
	Plain  bool
	List   []Value
	Map    []Key
	IsList bool
	IsMap  bool
	Secret bool   // of a scalar that is concealed or written by its origin
	kind   string // of the resource that a scalar names
	prefix string // of the component that means the name
	Origin string
}

// Collector collects the blocks of a load.
type Collector struct {
	Schemas source.Schemas
	blocks  []Block
	groups  map[string][]string // the members of KIND/GROUP
	names   map[string]bool     // KIND/NAME
}

// Blocks returns the blocks, sorted by their names. The names of groups are replaced by their members.
func (c *Collector) Blocks() []Block {
	for i := range c.blocks {
		c.own(&c.blocks[i])
	}
	for i := range c.blocks {
		for k := range c.blocks[i].Keys {
			key := &c.blocks[i].Keys[k]
			c.spread(&key.Value, key.Name == "depends_on")
		}
	}
	slices.SortStableFunc(c.blocks, func(a, b Block) int {
		for _, x := range [][2]string{{a.Provider, b.Provider}, {a.Location, b.Location}, {a.Kind, b.Kind}} {
			if c := strings.Compare(x[0], x[1]); c != 0 {
				return c
			}
		}
		return strings.Compare(a.Name, b.Name)
	})
	return c.blocks
}

// own writes the names of resources in a component as whole names.
func (c *Collector) own(b *Block) {
	var visit func(v *Value)
	visit = func(v *Value) {
		for i := range v.Map {
			visit(&v.Map[i].Value)
		}
		for i := range v.List {
			visit(&v.List[i])
		}
		if v.prefix == "" || v.kind == "" || v.Text == "" {
			return
		}
		whole := source.Inside(v.prefix, v.Text)
		if name := strings.TrimSuffix(whole, "?"); c.names[v.kind+"/"+name] || c.groups[v.kind+"/"+name] != nil {
			v.Text = whole
		}
	}
	for i := range b.Keys {
		visit(&b.Keys[i].Value)
	}
}

// spread replaces the names of groups in lists.
func (c *Collector) spread(v *Value, named bool) {
	for i := range v.Map {
		c.spread(&v.Map[i].Value, false)
	}
	var out []Value
	for _, x := range v.List {
		c.spread(&x, false)
		name := strings.TrimSuffix(x.Text, "?")
		members := c.groups[x.kind+"/"+name]
		if inner, is := strings.CutPrefix(name, "${"+x.kind+"/"); is {
			members = c.groups[x.kind+"/"+strings.TrimSuffix(strings.TrimSuffix(inner, "}"), "?")]
		}
		if named {
			kind, group, _ := strings.Cut("/"+name, "/")
			if k, g, has := strings.Cut(name, "/"); has && k != "use" {
				kind, group = k, g
			}
			if strings.HasPrefix(name, "use/") {
				group = name
			}
			members = slices.DeleteFunc(slices.Clone(c.groups["/"+group]), func(m string) bool {
				return kind != "" && !strings.HasPrefix(m, kind+"/")
			})
		}
		for _, m := range slices.Sorted(slices.Values(members)) {
			out = append(out, Value{Text: m, Origin: x.Origin})
		}
		if len(members) == 0 {
			out = append(out, x)
		}
	}
	v.List = out
}

// group notes that a block is a member of a group.
func (c *Collector) group(kind, group, name string, count int) {
	if c.groups == nil {
		c.groups = map[string][]string{}
	}
	names := []string{name}
	if count > 0 {
		names = nil
		for i := range count {
			names = append(names, name+"-"+strconv.Itoa(i))
		}
	}
	for _, n := range names {
		c.groups[kind+"/"+group] = append(c.groups[kind+"/"+group], n)
		c.groups["/"+group] = append(c.groups["/"+group], kind+"/"+n)
	}
}

// Add adds a block that has been read. It can be source.Options.Expanded.
func (c *Collector) Add(r *source.Resource, n *source.Node, origin func(*source.Node) string) {
	if r.NoMembers || r.Kind == "" {
		return
	}
	b := Block{Provider: r.Provider, Location: r.Location, Kind: r.Kind, Name: r.Name, At: r.At}
	kind, _ := c.Schemas.Kind(r.Provider, r.Kind)
	word := func(key string) bool {
		return slices.Contains([]string{"provider", "type", "name", "tags", "spec", "count"}, key)
	}
	if r.Counted && r.Index == 0 {
		b.Count = r.Count
		if b.Count == 0 {
			return
		}
	}
	if r.Index > 0 {
		b.Name += "-" + strconv.Itoa(r.Index-1)
	}
	v := values{r: r, origin: origin}
	for _, t := range r.Tags {
		if n.Get("lookup") != nil {
			break // a resource of another owner has no configured tags
		}
		at := r.Where("tags." + t.Key)
		b.Keys = appendTag(b.Keys, Key{t.Key, Value{Text: strings.ReplaceAll(t.Value, "${", "$${"), Origin: at.String()}})
	}
	attrs := map[string]bool{}
	for i := 0; i+1 < len(r.Attrs.Kids); i += 2 {
		key := r.Attrs.Kids[i].Text
		attrs[key] = true
		if key != "" && !word(key) {
			b.Keys = append(b.Keys, Key{key, v.value(&r.Attrs.Kids[i+1], attribute(kind.Attrs, key))})
		}
	}
	locations := []string{"location", "region", "host", "site"} // a block is shown with its whole location
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key := n.Kids[i].Text
		if key == "depends_on" || attrs[key] {
			continue
		}
		if !word(key) && !slices.Contains(locations, key) {
			value := v.value(&n.Kids[i+1], nil)
			if key == "was" && r.Was != "" {
				value.Text = r.Was
			}
			if key == "was" && r.Index > 0 { // the block shows one member of the count
				value.Text += "-" + strconv.Itoa(r.Index-1)
			}
			b.Keys = append(b.Keys, Key{key, value})
		}
	}
	if len(r.DependsOn) > 0 {
		b.Keys = append(b.Keys, Key{"depends_on", v.dependsOn(n.Get("depends_on"))})
	}
	slices.SortStableFunc(b.Keys, func(a, o Key) int { return strings.Compare(a.Name, o.Name) })
	if c.names == nil {
		c.names = map[string]bool{}
	}
	c.names[b.Kind+"/"+b.Name] = true
	for i := range b.Count {
		c.names[b.Kind+"/"+b.Name+"-"+strconv.Itoa(i)] = true
	}
	if r.Group != "" {
		c.group(b.Kind, r.Group, b.Name, b.Count)
	}
	for _, unit := range r.Units {
		c.group(b.Kind, "use/"+unit, b.Name, b.Count)
	}
	c.blocks = append(c.blocks, b)
}

// appendTag adds a tag to the key tags.
func appendTag(keys []Key, tag Key) []Key {
	if len(keys) == 0 {
		keys = append(keys, Key{"tags", Value{IsMap: true}})
	}
	keys[0].Value.Map = append(keys[0].Value.Map, tag)
	return keys
}

func attribute(all []resource.Attribute, name string) *resource.Attribute {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// values reads the values of one block.
type values struct {
	r      *source.Resource
	origin func(*source.Node) string
}

// dependsOn returns the names of the resource's dependencies. The node is nil if the block itself has no depends_on.
func (v values) dependsOn(n *source.Node) Value {
	out := Value{IsList: true}
	if n != nil {
		out.Origin = v.origin(n)
	}
	for i, name := range v.r.DependsOn {
		x := Value{Text: name, Origin: v.r.At.Used} // of the use block
		if n != nil && i < len(n.Kids) {
			x.Origin = v.origin(&n.Kids[i])
		}
		out.List = append(out.List, x)
	}
	return out
}

// value returns a node as a value. A nil attribute is one that no schema has, such as a key of the block.
func (v values) value(n *source.Node, a *resource.Attribute) Value {
	out := Value{Origin: v.origin(n)}
	switch n.Shape {
	case source.List:
		out.IsList = true
		for i := range n.Kids {
			var elem *resource.Attribute
			if a != nil {
				if elem = a.Elem; elem == nil {
					elem = &resource.Attribute{RefKind: a.RefKind}
				}
			}
			out.List = append(out.List, v.value(&n.Kids[i], elem))
		}
		return out
	case source.Object:
		out.IsMap = true
		for i := 0; i+1 < len(n.Kids); i += 2 {
			var field *resource.Attribute
			if a != nil {
				if field = a.Elem; a.Type != resource.TMap {
					field = attribute(a.Fields, n.Kids[i].Text)
				}
			}
			out.Map = append(out.Map, Key{n.Kids[i].Text, v.value(&n.Kids[i+1], field)})
		}
		return out
	}
	if out.Plain = n.Type != source.String; a != nil {
		out.kind, out.prefix = a.RefKind, v.r.Prefix
	}
	if n.Parts != nil {
		out.prefix = "" // a reference is a whole name
	}
	if n.Parts == nil {
		out.Text = n.Text
		if a != nil && a.Secret {
			out.Text, out.Plain, out.Secret = Concealed, false, true
		}
		return out
	}
	var text strings.Builder
	literal := false
	for _, p := range *n.Parts {
		switch {
		case p.Reference:
			text.WriteString("${" + p.Text + "}")
		case p.From != "" && !p.Public:
			out.Secret = true
			text.WriteString("${" + p.From + "}")
		default:
			literal = literal || p.Text != ""
			text.WriteString(strings.ReplaceAll(p.Text, "${", "$${"))
		}
	}
	if out.Text = text.String(); literal && a != nil && a.Secret {
		out.Text, out.Secret = Concealed, true
	}
	return out
}

// Ref returns the short name of a block.
func (b *Block) Ref() string { return b.Kind + "/" + b.Name }

// Is reports whether a name means the block or a resource of its count: KIND/NAME, or the whole name with provider and
// location.
func (b *Block) Is(name string) bool {
	for _, own := range []string{b.Ref(), b.Provider + "/" + b.Location + "/" + b.Ref()} {
		number, counted := strings.CutPrefix(name, own+"-")
		i, err := strconv.Atoi(number)
		if name == own || counted && err == nil && i >= 0 && i < b.Count && strconv.Itoa(i) == number {
			return true
		}
	}
	return false
}

// flat returns the scalars of a block by their paths.
func (b *Block) flat() map[string]Value {
	out := map[string]Value{}
	var add func(path string, v Value)
	add = func(path string, v Value) {
		for i, x := range v.List {
			add(fmt.Sprintf("%s[%d]", path, i), x)
		}
		for _, k := range v.Map {
			add(path+"."+k.Name, k.Value)
		}
		switch {
		case v.IsList && len(v.List) == 0:
			v.Text, v.Plain = "[]", true
			out[path] = v
		case v.IsMap && len(v.Map) == 0:
			v.Text, v.Plain = "{}", true
			out[path] = v
		case !v.IsList && !v.IsMap:
			out[path] = v
		}
	}
	for _, k := range b.Keys {
		add(k.Name, k.Value)
	}
	if b.Count > 0 {
		out["count"] = Value{Text: strconv.Itoa(b.Count), Plain: true, Origin: b.At.String()}
	}
	out["location"] = Value{Text: region(b.Location), Origin: b.At.String()}
	return out
}

// region returns a location without its account, which differs between environments by design.
func region(location string) string {
	return location[strings.LastIndexByte(location, '/')+1:]
}
