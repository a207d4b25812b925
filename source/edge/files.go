package edge

import (
	"path"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// readSite reads site.yaml.
func (l *loader) readSite(d *document) {
	for i := 0; i+1 < len(d.root.Kids); i += 2 {
		key, value := &d.root.Kids[i], &d.root.Kids[i+1]
		if l.readPolicy(&l.policy, d, key, value, "") {
			continue
		}
		switch key.Text {
		case "site":
			l.site = value.Text
		case "nodes":
			l.readNodes(d, value)
		case "moved":
			l.moved = l.entries(d).Moved(value)
		case "removed":
			l.removed = l.entries(d).Removed(value)
		case "deployments":
			if value.Text != "none" {
				l.wrong(d, value, "", "deployments is "+value.Form(), "use none, or remove it: each deployment is a file")
			}
		default:
			l.wrong(d, key, "", "unknown key "+source.Quote(key.Text), source.Suggest(key.Text, names(siteTable())))
		}
	}
	if len(l.nodes) == 0 && !l.broken {
		l.wrong(d, &d.root, "", "the site has no nodes", "add nodes: [{name: n1}]")
	}
	l.empty = d.root.Get("deployments") != nil
}

func (l *loader) readNodes(d *document, n *source.Node) {
	if n.Shape != source.List {
		l.broken = true
		l.wrong(d, n, "", "nodes is "+n.Form(), "use a list: [{name: n1, labels: {zone: hall-2}}]")
		return
	}
	rule := l.opts.LocationOf(l.opts.Provider)
	for i := range n.Kids {
		x := node{labels: map[string]string{}}
		for j := 0; j+1 < len(n.Kids[i].Kids); j += 2 {
			key, value := &n.Kids[i].Kids[j], &n.Kids[i].Kids[j+1]
			switch {
			case key.Text == "name" && value.Shape == source.Scalar:
				x.name = value.Text
			case key.Text == "labels" && value.Shape == source.Object:
				for k := 0; k+1 < len(value.Kids); k += 2 {
					x.labels[value.Kids[k].Text] = value.Kids[k+1].Text
				}
			default:
				l.wrong(d, key, "", "unknown key "+source.Quote(key.Text)+" of a node", "use name and labels: {zone: hall-2}")
			}
		}
		for _, other := range l.nodes {
			if other.name == x.name {
				l.wrong(d, &n.Kids[i], "", "duplicate node "+source.Quote(x.name), "remove one")
			}
		}
		if x.name == "" {
			l.wrong(d, &n.Kids[i], "", "a node without a name", "use {name: n1}; for example, "+rule.Example+" is node n1")
			continue
		}
		l.nodes = append(l.nodes, x)
	}
}

// add reads the files of the deployments and adds what they declare.
func (l *loader) add(docs []*document) {
	for _, x := range l.nodes {
		l.draft.Scope(resource.Scope{Provider: l.opts.Provider, Location: l.location(x.name)}) // also when nothing runs there
	}
	for _, d := range docs {
		l.readDeployment(d)
	}
	if len(docs) == 0 && !l.empty && l.draft.Failed() == 0 {
		l.draft.Problem(source.Problem{
			At:         position.Position{File: path.Join(l.dir, siteFile), Line: 1, Column: 1},
			Summary:    "the site has no deployments, and nothing is deleted because of that",
			Suggestion: "add a file for each, or `deployments: none` to delete all",
		})
	}
	for _, d := range l.waits {
		l.checkNeeds(d)
		for _, node := range d.nodes {
			l.draft.Add(l.resourceOf(d, node))
		}
	}
	l.move()
}

// entries reads lists of site.yaml.
func (l *loader) entries(d *document) source.Entries {
	return source.Entries{At: d.at, Wrong: func(n *source.Node, summary, suggestion string) {
		l.wrong(d, n, "", summary, suggestion)
	}}
}

// move adds the removals of site.yaml, on all nodes, and the renames, on the nodes of the deployment with the new id.
// If no deployment has that id, they are on all nodes.
func (l *loader) move() {
	for _, r := range l.removed {
		for _, x := range l.nodes {
			if !slices.Contains(l.where[r.Ref.Text], x.name) || x.name == l.where[r.Ref.Text][0] {
				on := r
				on.Ref = l.named(r.Ref, x.name)
				l.draft.Removed = append(l.draft.Removed, on)
			}
		}
	}
	for _, m := range l.moved {
		nodes, known := l.where[m.To.Text]
		for _, x := range l.nodes {
			if known && !slices.Contains(nodes, x.name) {
				continue
			}
			on := m
			on.From, on.To = l.named(m.From, x.name), l.named(m.To, x.name)
			l.draft.Moved = append(l.draft.Moved, on)
		}
	}
}

// named returns the name of a deployment on a node.
func (l *loader) named(n source.ResourceName, node string) source.ResourceName {
	if !strings.Contains(n.Text, "/") {
		n.Text = l.opts.Kind + "/" + n.Text
	}
	n.Provider, n.Location = l.opts.Provider, l.location(node)
	return n
}

// readDeployment reads one file.
func (l *loader) readDeployment(d *document) {
	x := &declared{document: d, attrs: source.Node{Shape: source.Object, Line: d.root.Line, Column: d.root.Column}}
	id := d.root.Get("id")
	if id == nil || id.Shape != source.Scalar || id.Text == "" {
		l.wrong(d, &d.root, "", "the deployment has no id", "add id: NAME")
		return
	}
	x.id = id.Text
	ref := l.opts.Kind + "/" + x.id
	if l.where[x.id] != nil {
		l.draft.Problem(source.Problem{
			Cause: source.Validation, At: d.at(id), Ref: ref, Summary: "duplicate id " + source.Quote(x.id),
			Suggestion: "rename one of them", Others: []position.Position{l.first[x.id]},
		})
		return
	}
	for i := 0; i+1 < len(d.root.Kids); i += 2 {
		key, value := d.root.Kids[i], d.root.Kids[i+1]
		if l.readPolicy(&x.policy, d, &key, &value, ref) {
			continue
		}
		switch key.Text {
		case "id", "nodes":
		case "was":
			if x.was = value.Text; value.Shape != source.Scalar || value.Text == "" {
				x.bad = true
				l.wrong(d, &value, ref, "was is "+value.Form(), "use the former id")
			}
		case "depends_on":
			if x.needs = value.Kids; value.Shape != source.List {
				x.bad = true
				l.wrong(d, &value, ref, "depends_on is "+value.Form(), "use a list of ids: [db]")
			}
		default:
			x.attrs.Kids = append(x.attrs.Kids, key, value)
		}
	}
	var ok bool
	x.nodes, ok = l.selected(d, ref, d.root.Get("nodes"))
	if !ok {
		x.bad = true
	}
	l.where[x.id], l.first[x.id] = append([]string{}, x.nodes...), d.at(id)
	l.waits = append(l.waits, x)
}

// checkNeeds reports a deployment that depends on one that is not on all its nodes.
func (l *loader) checkNeeds(d *declared) {
	for i := range d.needs {
		on, known := l.where[d.needs[i].Text]
		for _, node := range d.nodes {
			if known && !slices.Contains(on, node) {
				d.bad = true
				l.wrong(d.document, &d.needs[i], l.opts.Kind+"/"+d.id, d.needs[i].Text+" is not deployed on node "+node,
					"select the node in its file too")
				break
			}
		}
	}
}
