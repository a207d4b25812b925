package removal

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// removals has the reasons that configurations give.
type removals struct {
	blocks map[resource.Ref]string // by the names of blocks, without their groups of locations
	units  map[unit]string         // by the names of components; "" for one that is used
	used   map[use]bool
	at     func(resource.Ref) position.Position
}

// unit is the name of a component in a stack.
type unit struct{ stack, name string }

// use is a component that has resources of another one in it: the files from that one to the configuration.
type use struct {
	unit
	files string
}

// Why returns a function that returns why the configurations no longer have a resource: its condition is false, its
// count is smaller, its key was removed, or its component is no longer used. At returns the position that a resource
// had when its configuration was accepted last. The function returns "" if no block tells.
func Why(intents []resource.Intent, at func(resource.Ref) position.Position) func(resource.Ref) string {
	all := removals{blocks: map[resource.Ref]string{}, units: map[unit]string{}, used: map[use]bool{}, at: at}
	for i := range intents {
		for ref, why := range intents[i].Absent {
			if all.blocks[short(ref)] = why; ref.Kind == "use" {
				all.units[unit{ref.Stack, ref.Name}] = why
			}
		}
	}
	for i := range intents {
		for k := range intents[i].Resources {
			d := &intents[i].Resources[k]
			files := filesOf(d.At)
			for n := 3; n <= len(files); n++ {
				for _, u := range all.unitsOf(d.Ref) {
					all.used[use{u, keyOf(files[len(files)-n:])}] = true
				}
			}
		}
	}
	return func(r resource.Ref) string {
		if why := all.byBlock(short(r)); why != "" {
			return why
		}
		return all.byUnit(r)
	}
}

// unitsOf returns the components whose names start the name of a resource, the innermost first.
func (all *removals) unitsOf(r resource.Ref) (out []unit) {
	for outer := outerOf(r); outer.Name != ""; outer = outerOf(outer) {
		u := unit{r.Stack, outer.Name}
		if _, known := all.units[u]; known {
			out = append(out, u)
		}
	}
	return out
}

// short cuts the group from a location: the location of a block that configures nothing was not resolved.
func short(r resource.Ref) resource.Ref {
	r.Location = r.Location[strings.LastIndexByte(r.Location, '/')+1:]
	return r
}

// byBlock returns the reason that the block of a resource gives.
func (all *removals) byBlock(r resource.Ref) string {
	if why := all.blocks[r]; why != "" {
		return why
	}
	set := outerOf(r)
	// A name with a number belongs to the block of a count, whose reason is under the name without it.
	if _, err := strconv.Atoi(strings.TrimPrefix(r.Name, set.Name+"-")); err == nil && all.blocks[set] != "" {
		return all.blocks[set]
	}
	// A key may have hyphens, so each shorter name can be the one of the block.
	for group := set; group.Name != ""; group = outerOf(group) {
		members := group
		members.Name += "-*"
		if why := all.blocks[members]; why != "" {
			return why
		}
	}
	return ""
}

// outerOf cuts the number or key of a resource from its name.
func outerOf(r resource.Ref) resource.Ref {
	r.Name = r.Name[:max(strings.LastIndexByte(r.Name, '-'), 0)]
	return r
}

// byUnit returns the reason that is about the component of a resource.
func (all *removals) byUnit(r resource.Ref) string {
	units := all.unitsOf(r)
	for _, u := range units {
		if why := all.units[u]; why != "" {
			return "component " + u.name + ": " + why
		}
	}
	at := all.at(r)
	files := filesOf(at)
	for n := 2; n <= len(files); n++ { // the outermost component first
		chain := files[len(files)-n:]
		is := func(u unit) bool { return n == 2 || all.used[use{u, keyOf(chain)}] }
		if !slices.ContainsFunc(units, is) {
			return "component " + path.Base(path.Dir(chain[0])) + " removed from " + chain[1]
		}
	}
	if len(files) > 1 {
		return "it was at " + at.String()
	}
	return ""
}

// filesOf returns the file of a position, and the files that use it, the configuration last. A block that is not in a
// component has one file.
func filesOf(at position.Position) []string {
	files := []string{at.File}
	if at.Used == "" {
		return files
	}
	for _, used := range strings.Split(at.Used, ", used at ") {
		if i := strings.LastIndexByte(used, ':'); i > 0 {
			used = used[:i]
		}
		files = append(files, used)
	}
	return files
}

// keyOf returns the names of files without the folders above them, which depend on where a command runs.
func keyOf(files []string) string {
	var out []string
	for i, file := range files {
		name := path.Base(file)
		if i < len(files)-1 {
			name = path.Base(path.Dir(file))
		}
		out = append(out, name)
	}
	return strings.Join(out, "\n")
}
