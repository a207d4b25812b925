package ovi_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/ledger/event"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/commands.md")

// TestRecordReference holds the tables of JSON records and of events in docs/commands.md to the types: their
// fields and comments.
func TestRecordReference(t *testing.T) {
	packages := []string{"render", "render/term", "ledger/event", "decider"}
	shapes := readShapes(t, packages...)
	var records, parts strings.Builder
	records.WriteString("| type | record | fields |\n|---|---|---|\n")
	parts.WriteString("\n| part | fields |\n|---|---|\n")
	done := map[string]bool{}
	var part func(from *shape)
	part = func(from *shape) {
		for _, name := range from.uses {
			p := shapes[from.pkg+"."+name]
			for i := 0; p == nil && i < len(packages); i++ {
				p = shapes[packages[i]+"."+name]
			}
			if p != nil && !done[p.name] && !p.record && !p.event {
				done[p.name] = true
				if p.fields != "" {
					fmt.Fprintf(&parts, "| `%s` | %s |\n", strings.ToLower(p.name[:1])+p.name[1:], p.fields)
				}
				part(p)
			}
		}
	}
	for _, s := range sorted(shapes) {
		if !s.record || len(s.types) == 0 {
			continue
		}
		fmt.Fprintf(&records, "| `%s` | %s | %s |\n", strings.Join(s.types, "`, `"), s.about(), s.fields)
		part(s)
	}
	inPage(t, "docs/commands.md", "records", records.String()+parts.String())
}

// TestEventReference does the same for the events of the audit log.
func TestEventReference(t *testing.T) {
	shapes := readShapes(t, "ledger/event")
	var b strings.Builder
	b.WriteString("| event | recorded when, or of | fields of `data` |\n|---|---|---|\n")
	for _, name := range event.Types() {
		found := false
		for _, s := range sorted(shapes) {
			if slices.Contains(s.types, name) && s.event {
				found = true
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, s.about(), s.fields)
			}
		}
		if !found {
			t.Errorf("no type has the event %s", name)
		}
	}
	inPage(t, "docs/commands.md", "events", b.String())
}

// TestEveryRecordIsOnThePage: records whose type is a word in the code, not a field of a type, are on the page.
func TestEveryRecordIsOnThePage(t *testing.T) {
	page, err := os.ReadFile("docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	info, seen := regexp.MustCompile(`render\.Info\{\s*Type: "(\w+)"`), 0
	err = filepath.WalkDir("cmd", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		for _, m := range info.FindAllStringSubmatch(string(b), -1) {
			if seen++; !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("docs/commands.md does not have the record %s of %s", m[1], name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Errorf("only %d records found", seen)
	}
}

// shape is a type whose values are printed or recorded as JSON.
type shape struct {
	pkg, name     string
	doc           string
	types         []string // values of its field "type", or the name of the event
	fields        string
	uses          []string // names of other shapes
	record, event bool
	order         int
}

// about returns the comment of the type without its name and verb.
func (s *shape) about() string {
	text, _ := strings.CutPrefix(s.doc, s.name+" ")
	for _, verb := range []string{"is ", "are ", "records that ", "records "} {
		if rest, ok := strings.CutPrefix(text, verb); ok {
			text = rest
			break
		}
	}
	return asCell(strings.ToUpper(text[:1]) + text[1:])
}

func sorted(shapes map[string]*shape) []*shape {
	var out []*shape
	for _, s := range shapes {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *shape) int { return a.order - b.order })
	return out
}

// readShapes reads the types of packages with their JSON fields and comments.
func readShapes(t *testing.T, packages ...string) map[string]*shape {
	t.Helper()
	shapes, constants := map[string]*shape{}, map[string]string{}
	files := map[string][]*ast.File{}
	for _, p := range packages {
		names, err := filepath.Glob(filepath.Join(p, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				files[p] = append(files[p], f)
			}
		}
	}
	for _, pkg := range packages {
		for _, f := range files[pkg] {
			for _, d := range f.Decls {
				if g, is := d.(*ast.GenDecl); is {
					for _, spec := range g.Specs {
						addShape(shapes, constants, pkg, g, spec)
					}
				}
			}
		}
		for _, f := range files[pkg] {
			for _, d := range f.Decls {
				if m, is := d.(*ast.FuncDecl); is {
					mark(shapes, constants, pkg, m)
				}
			}
		}
	}
	for _, s := range shapes {
		if !s.record && !s.event && len(s.types) > 0 { // a part that has a type of its own
			s.fields = "`type` (\"" + strings.Join(s.types, "\", \"") + "\"), " + s.fields
		}
	}
	return shapes
}

// addShape adds a type with JSON fields, or the value of a constant.
func addShape(shapes map[string]*shape, constants map[string]string, pkg string, g *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for i, v := range spec.Values {
			if lit, is := v.(*ast.BasicLit); is && i < len(spec.Names) {
				constants[spec.Names[i].Name], _ = strconv.Unquote(lit.Value)
			}
		}
	case *ast.TypeSpec:
		fields, is := spec.Type.(*ast.StructType)
		if !is {
			return
		}
		doc := spec.Doc
		if doc == nil {
			doc = g.Doc
		}
		s := &shape{pkg: pkg, name: spec.Name.Name, doc: oneLine(doc), order: len(shapes)}
		var out []string
		for _, f := range fields.Fields.List {
			if line := s.field(f); line != "" {
				out = append(out, line)
			}
		}
		s.fields = strings.Join(out, ", ")
		shapes[pkg+"."+s.name] = s
	}
}

// field returns a field with its comment; one that can be absent has a question mark.
func (s *shape) field(f *ast.Field) string {
	ast.Inspect(f.Type, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			s.uses = append(s.uses, id.Name)
		}
		return true
	})
	if len(f.Names) == 0 {
		return fmt.Sprintf("the fields of `%s`", strings.ToLower(s.uses[len(s.uses)-1]))
	}
	if f.Tag == nil {
		return ""
	}
	tag, _ := strconv.Unquote(f.Tag.Value)
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	note := oneLine(f.Comment)
	if note == "" {
		note = oneLine(f.Doc)
	}
	if name == "type" && f.Names[0].Name == "Type" {
		for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(note, -1) {
			s.types = append(s.types, m[1])
		}
		if len(s.types) > 0 {
			return ""
		}
	}
	if name == "" || name == "-" {
		return ""
	}
	if options != "" {
		name += "?"
	}
	note = regexp.MustCompile(`^(?:\w+ and )?`+f.Names[0].Name+`(?: and \w+)?(?: is| are|:) `).ReplaceAllString(note, "")
	if note = strings.TrimSuffix(note, "."); note != "" {
		note = " (" + asCell(note) + ")"
	}
	return "`" + name + "`" + note
}

// mark notes which types are records, and the names of events.
func mark(shapes map[string]*shape, constants map[string]string, pkg string, m *ast.FuncDecl) {
	if m.Recv == nil || len(m.Recv.List) != 1 {
		return
	}
	id, is := m.Recv.List[0].Type.(*ast.Ident)
	if !is || shapes[pkg+"."+id.Name] == nil {
		return
	}
	switch s := shapes[pkg+"."+id.Name]; m.Name.Name {
	case "record":
		s.record = true
	case "Type":
		if ret, is := m.Body.List[0].(*ast.ReturnStmt); is {
			if name, is := ret.Results[0].(*ast.Ident); is && constants[name.Name] != "" {
				s.types, s.event = []string{constants[name.Name]}, true
			}
		}
	}
}

// oneLine returns the text of a comment.
func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

func asCell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// inPage compares the part of a page between two marks, or rewrites it.
func inPage(t *testing.T, page, mark, want string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+": made by `make golden` -->\n", "<!-- end of "+mark+" -->\n"
	before, rest, ok1 := strings.Cut(string(b), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("%s is stale, `make golden` rewrites it (-want +got):\n%s", page, cmp.Diff(want, got))
	}
}
