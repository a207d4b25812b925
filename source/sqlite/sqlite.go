package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// Reserved is the name of the management cluster. Its row declares no cluster of the stack; its
// ports and its subnet are in use.
const Reserved = "devops"

// Kind is the kind of resource that a row declares.
const Kind = "cluster"

// Options is what the source needs from outside.
type Options struct {
	source.Options
	// Provider is the provider of the kind cluster.
	Provider string
	// Settings reads what the table has no columns for: the rules and options of the stack, and
	// other resources of it. Nil: there are none.
	Settings source.Source
	// Option is an option of the provider, for what the table has no columns for: the images of nodes
	// (kind-image, k3d-image) and what is around a cluster (OptionRows). It is asked with the options of the
	// stack. Nil, or "": it is not set.
	Option func(key string, o resource.Options) string
	// Wait is how long another process may keep the database locked; 0 is five seconds.
	Wait time.Duration
	// Time bounds the reading of the table; 0 is ten seconds.
	Time time.Duration
}

const defaultWait = 5 * time.Second

// Table is a source of one table of clusters. It does not change, and may be used from several
// goroutines.
type Table struct {
	path string
	opts Options
}

var (
	_ source.Source   = (*Table)(nil)
	_ source.Watcher  = (*Table)(nil)
	_ source.Reporter = (*Table)(nil)
)

// New returns a source of the table clusters in a database. Nothing is read before Load.
func New(path string, opts Options) *Table {
	if opts.Wait == 0 {
		opts.Wait = defaultWait
	}
	if opts.Time == 0 {
		opts.Time = defaultTime
	}
	return &Table{path: path, opts: opts}
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Name is the stack of a database whose settings name none: the name of the file without its
// ending.
func Name(path string) string {
	base := filepath.Base(path)
	name := strings.Trim(unfit.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), "-.")
	if name == "" {
		return "clusters"
	}
	return name
}

// Load implements source.Source. A database that cannot be read is source.Problems.
func (t *Table) Load(ctx context.Context) ([]*source.Draft, error) {
	d := source.NewDraft(t.opts.Options)
	var problems source.Problems
	if t.opts.Settings != nil {
		drafts, err := t.opts.Settings.Load(ctx)
		switch {
		case errors.As(err, &problems):
		case err != nil:
			return nil, err
		case len(drafts) != 1:
			return nil, fmt.Errorf("sqlite: the settings of %s are %d stacks", t.path, len(drafts))
		case drafts[0].Err != nil:
			return drafts, nil
		default:
			d = drafts[0]
		}
	}
	rows, err := t.rows(ctx)
	var bad source.Problems
	if errors.As(err, &bad) {
		problems, err = append(problems, bad...), nil
	}
	if err != nil || len(problems) > 0 {
		return nil, errors.Join(err, problemsOrNil(problems))
	}
	t.add(d, rows)
	return []*source.Draft{d}, nil
}

func problemsOrNil(p source.Problems) error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// add checks the rows and adds those that declare a cluster. Each row is a part of the source.
func (t *Table) add(d *source.Draft, rows []row) {
	if d.Stack == "" {
		d.Stack = Name(t.path)
	}
	settings := d.Version
	d.Source, d.Version = t.path, "sha256:"+digest(rows, settings)
	d.Scope(resource.Scope{Provider: t.opts.Provider, Location: t.location()}) // also when all clusters are absent
	d.Part = t.part
	for i := range rows {
		d.PartNames = append(d.PartNames, t.part(t.at(&rows[i], "")))
	}
	broken := map[int]bool{}
	for _, p := range check(rows) {
		broken[p.row] = true
		d.Problem(source.Problem{
			At: t.at(&rows[p.row], p.column), Ref: rows[p.row].ref(), Summary: p.summary,
			Suggestion: p.suggestion,
		})
	}
	declared := 0
	var present []*row
	around := t.settings(d)
	for i := range rows {
		r := &rows[i]
		if r.name() == Reserved {
			continue
		}
		if broken[i] {
			d.Only(t.part(t.at(r, "")), around.refs(r)...)
		}
		if declared++; broken[i] || r.text(columnDesired) == Present {
			d.Add(t.resource(r, broken[i], around.option))
		}
		if !broken[i] && r.text(columnDesired) == Present {
			around.around(d, r)
			present = append(present, r)
		}
	}
	around.applications(d, present, brokenRow(t, rows, broken))
	if declared == 0 {
		d.Problem(source.Problem{
			At: position.Position{File: t.path}, Summary: "the table clusters declares no cluster",
			Detail:     "an empty table may be an accident, and nothing is deleted because of it",
			Suggestion: "add a row; to delete a cluster, set desired_state of its row to absent",
		})
	}
}

// part names the part of the table at a position: its row.
func (t *Table) part(at position.Position) string {
	if at.File != t.path {
		return ""
	}
	row, _, _ := strings.Cut(at.Cell, ", column ")
	return row
}

// brokenRow is the position of the first broken row; nil if there is none.
func brokenRow(t *Table, rows []row, broken map[int]bool) *position.Position {
	for i := range rows {
		if broken[i] {
			at := t.at(&rows[i], "")
			return &at
		}
	}
	return nil
}

// location is where the clusters of the table are.
func (t *Table) location() string {
	if l := t.opts.LocationOf(t.opts.Provider).Default; l != "" {
		return l
	}
	return source.DefaultLocation
}

// resource is what a row declares.
func (t *Table) resource(r *row, broken bool, option func(string) string) *source.Resource {
	if broken {
		// Without a kind: its problems are reported, and a reference to it is no other one.
		return &source.Resource{Provider: t.opts.Provider, Name: r.name(), Broken: true, At: t.at(r, "")}
	}
	image := option(r.text(columnProvider) + "-image")
	return &source.Resource{
		Provider: t.opts.Provider, Kind: Kind, Name: r.name(), Attrs: r.attrs(image), At: t.at(r, ""),
		Where: func(path string) position.Position {
			if all := declared(); !slices.Contains(all[:], path) {
				path = ""
			}
			return t.at(r, path)
		},
	}
}

// at is the position of a column in a row; of the whole row without a column.
func (t *Table) at(r *row, column string) position.Position {
	cell := "row " + r.label()
	if column != "" {
		cell += ", column " + column
	}
	return position.Position{File: t.path, Cell: cell}
}

// digest is the version of the table: of what it declares, not of its status columns.
func digest(rows []row, settings string) string {
	h := sha256.New()
	for i := range rows {
		for _, c := range rows[i].cells {
			_, _ = fmt.Fprintf(h, "%s %d %s\n", c.Type, len(c.Text), c.Text)
		}
	}
	_, _ = fmt.Fprintf(h, "%s", settings)
	return hex.EncodeToString(h.Sum(nil))
}

// Version implements source.Watcher. A change of a status column is no change.
func (t *Table) Version(ctx context.Context) (string, error) {
	rows, err := t.rows(ctx)
	if err != nil {
		return "", err
	}
	return digest(rows, ""), nil
}
