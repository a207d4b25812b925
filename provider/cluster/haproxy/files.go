package haproxy

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/internal/budget"
)

const (
	prefix     = "be_ovi_" // of the names of backends that are routes
	serverName = "s1"
	noteStart  = "# ovi "
	head       = "# Routes of ovi. ovi does not change other lines.\n"
)

// Route is a backend with one server, and the entry of the map that leads to it. What its backend has
// besides stays as it is.
type Route struct {
	Name    string // the key in the map
	Address string
	Port    int
	Note    string // in a comment: who made it
	Off     bool   // the map does not lead to it
}

// NameOf is the name of the route with a backend.
func NameOf(backend string) string { return strings.TrimPrefix(backend, prefix) }

// Backend is the name of its backend.
func (r Route) Backend() string { return prefix + r.Name }

// valid refuses what would be more than a backend in the file.
func (r Route) valid() error {
	at, err := netip.ParseAddr(r.Address)
	if err != nil || !at.Is4() || r.Port < 1 || r.Port > 65535 {
		return fmt.Errorf("the route %s leads to %q port %d, which is no IPv4 address with a port", r.Name, r.Address, r.Port)
	}
	if strings.ContainsFunc(r.Name+r.Note, unicode.IsControl) || strings.ContainsAny(r.Name, " #\"'\\") {
		return fmt.Errorf("invalid name or note of the route %q", r.Name)
	}
	return nil
}

// config is a parsed ovi.cfg: the sections that are routes, and all other text before, between and after them.
type config struct {
	parts []part
}

// part is a section that is a route, or text that is none.
type part struct {
	route *Route
	lines []string
}

// parse reads ovi.cfg. A backend of the right name whose server it does not understand is other text.
func parse(text string) config {
	var c config
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		starts := len(words) > 0 && line[0] != ' ' && line[0] != '\t' && line[0] != '#'
		if starts || len(c.parts) == 0 {
			c.parts = append(c.parts, part{})
		}
		last := &c.parts[len(c.parts)-1]
		last.lines = append(last.lines, line)
	}
	for i := range c.parts {
		c.parts[i].route = routeOf(c.parts[i].lines)
	}
	return c
}

// routeOf reads a section; nil if it is no route.
func routeOf(lines []string) *Route {
	words := strings.Fields(lines[0])
	if len(words) != 2 || words[0] != "backend" || !strings.HasPrefix(words[1], prefix) {
		return nil
	}
	r := &Route{Name: NameOf(words[1])}
	for _, line := range lines[1:] {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), noteStart):
			r.Note = strings.TrimPrefix(strings.TrimSpace(line), noteStart)
		case len(words) >= 3 && words[0] == "server" && words[1] == serverName:
			at, err := netip.ParseAddrPort(words[2])
			if err != nil {
				return nil
			}
			r.Address, r.Port = at.Addr().String(), int(at.Port())
		}
	}
	if r.Port == 0 {
		return nil
	}
	return r
}

// routes are the routes of the files, by name.
func (f files) routes() map[string]Route {
	out, entries := map[string]Route{}, mapEntries(f.mapping)
	for _, p := range parse(f.config).parts {
		if p.route != nil {
			r := *p.route
			r.Off = entries[r.Name] != r.Backend()
			out[r.Name] = r
		}
	}
	return out
}

// with gives the text with other routes.
func (c config) with(routes map[string]Route) string {
	var b strings.Builder
	if len(c.parts) == 0 {
		b.WriteString(head)
	}
	left := maps.Clone(routes)
	for _, p := range c.parts {
		if p.route == nil {
			b.WriteString(strings.Join(p.lines, ""))
			continue
		}
		if r, ok := left[p.route.Name]; ok {
			delete(left, r.Name)
			b.WriteString(r.section(p.lines[1:]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteString("\n")
		}
		b.WriteString(left[name].section(nil))
	}
	return b.String()
}

// section is the text of a route, with the lines that were in its backend besides.
func (r Route) section(lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "backend %s\n", r.Backend())
	if r.Note != "" {
		fmt.Fprintf(&b, "\t%s%s\n", noteStart, r.Note)
	}
	at := fmt.Sprintf("%s:%d", r.Address, r.Port)
	written := false
	for _, line := range lines {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), noteStart):
		case len(words) >= 3 && words[0] == "server" && words[1] == serverName:
			words[2], written = at, true
			b.WriteString("\t" + strings.Join(words, " ") + "\n")
		default:
			b.WriteString(line)
		}
	}
	if !written {
		fmt.Fprintf(&b, "\tserver %s %s\n", serverName, at)
	}
	return b.String()
}

// mapEntries are the lines of the map that lead to routes, by key.
func mapEntries(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 2 && words[0] != "#" && strings.HasPrefix(words[1], prefix) {
			out[words[0]] = words[1]
		}
	}
	return out
}

// mapWith gives the map with an entry for each route. Lines that lead to no route of ovi's stay.
func mapWith(text string, routes map[string]Route) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(mapEntries(line)) == 0 {
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		if !routes[name].Off {
			fmt.Fprintf(&b, "%s %s\n", name, routes[name].Backend())
		}
	}
	return b.String()
}

// files are the contents of the two files; "" of one that does not exist.
type files struct{ config, mapping string }

func (f Folder) configPath() string { return filepath.Join(f.Path, "ovi.cfg") }
func (f Folder) mapPath() string    { return filepath.Join(f.Path, "routes.map") }

func (f Folder) read() (out files, err error) {
	if _, err := os.Stat(f.Path); err != nil {
		return out, err
	}
	if out.config, err = text(f.configPath()); err == nil {
		out.mapping, err = text(f.mapPath())
	}
	return out, err
}

func text(path string) (string, error) {
	b, err := budget.ReadFile(path, budget.Answer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

// write makes the files what is given. Each is written aside and renamed: a crash leaves the old one or the
// new one. The backends come before the entries that lead to them.
func (f Folder) write(have, want files) error {
	if have.config != want.config {
		if err := replace(f.configPath(), want.config); err != nil {
			return err
		}
	}
	if have.mapping != want.mapping {
		return replace(f.mapPath(), want.mapping)
	}
	return nil
}

func replace(path, content string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".ovi-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // once renamed, there is none
	_, err = file.WriteString(content)
	err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()) // HAProxy may run as another user
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
