package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// The kinds of resources around a cluster.
const (
	KindRoute    = "haproxy_route"
	KindSecret   = "argocd_secret"
	KindAppSet   = "applicationset"
	KindEndpoint = "portainer_endpoint"
	KindBranch   = "git_branch"
	KindAgent    = "edge_agent"
)

// The options of the provider that say what the table has no columns for.
const (
	// OptionRows lists the kinds that each row declares beside its cluster.
	OptionRows = "rows"
	// OptionAppsRepo is the repository of the applications, OptionAppsName the name of their ApplicationSet.
	OptionAppsRepo = "apps-repo"
	OptionAppsName = "apps-name"
	// OptionPortainer is the URL of Portainer, also for its agents.
	OptionPortainer = "portainer"
)

// defaultNodePort is what Kindler's clusters use.
const defaultNodePort = "30080"

// builder makes the resource of one kind around the cluster of a row.
type builder func(s *settings, r *row) source.Resource

// builders are the kinds that each row can declare, by name.
func builders() map[string]builder {
	return map[string]builder{
		KindRoute: route, KindSecret: registration, KindEndpoint: environment, KindBranch: branch,
		KindAgent: agent,
	}
}

// OfRow reports whether each row can declare a resource of a kind, of its own name.
func OfRow(kind string) bool {
	_, around := builders()[kind]
	return around || kind == Kind
}

// settings are the options of a table, and where its clusters are.
type settings struct {
	table  *Table
	option func(key string) string
	at     string // the location of the clusters
	kinds  []string
}

// settings reads the options. An unknown kind is a problem of the draft.
func (t *Table) settings(d *source.Draft) *settings {
	s := &settings{table: t, at: t.location(), option: func(key string) string {
		if t.opts.Option == nil {
			return ""
		}
		return t.opts.Option(key, d.Options)
	}}
	all := builders()
	for word := range strings.SplitSeq(s.option(OptionRows), ",") {
		switch word = strings.TrimSpace(word); {
		case word == "":
		case all[word] != nil || word == KindAppSet:
			s.kinds = append(s.kinds, word)
		default:
			known := []string{KindAppSet}
			for name := range all {
				known = append(known, name)
			}
			slices.Sort(known)
			s.wrong(d, fmt.Sprintf("unknown kind %q in the option %s", word, OptionRows), "use "+strings.Join(known, ", "))
		}
	}
	if slices.Contains(s.kinds, KindAppSet) && s.option(OptionAppsRepo) == "" {
		s.wrong(d, "an "+KindAppSet+" needs the repository of its applications",
			"set options."+t.opts.Provider+"."+OptionAppsRepo)
	}
	if slices.Contains(s.kinds, KindAgent) && !slices.Contains(s.kinds, KindEndpoint) {
		s.wrong(d, "an "+KindAgent+" needs the key of its "+KindEndpoint, "add "+KindEndpoint+" to the option "+OptionRows)
	}
	return s
}

func (s *settings) wrong(d *source.Draft, summary, suggestion string) {
	d.Problem(source.Problem{At: position.Position{File: s.table.path}, Summary: summary, Suggestion: suggestion})
}

// around adds what a row declares beside its cluster.
func (s *settings) around(d *source.Draft, r *row) {
	for _, kind := range s.kinds {
		if build := builders()[kind]; build != nil {
			out := build(s, r)
			out.Provider, out.Kind, out.Name = s.table.opts.Provider, kind, r.name()
			out.At = s.table.at(r, "")
			out.Where = func(string) position.Position { return out.At } // the columns of the row are not its attributes
			d.Add(&out)
		}
	}
}

// of refers to an attribute of the cluster of a row.
func (s *settings) of(r *row, path string) source.Part {
	return source.Part{Reference: true, Text: s.cluster(r) + "." + path}
}

// cluster names the cluster of a row in full.
func (s *settings) cluster(r *row) string { return s.named(s.at, Kind, r) }

// named names a resource of a row in full.
func (s *settings) named(location, kind string, r *row) string {
	return fmt.Sprintf("%s/%s/%s/%s", s.table.opts.Provider, location, kind, r.name())
}

// route leads to the node port of the cluster.
func route(s *settings, r *row) source.Resource {
	port := r.cells[columnNodePort].Text
	if port == "" {
		port = defaultNodePort
	}
	return source.Resource{Location: "haproxy", Attrs: object(
		field{"address", parts(s.of(r, "server_ip"))},
		field{"port", source.Node{Type: source.Int, Text: port}},
	)}
}

// registration lets Argo CD reach the cluster at its address. Every API server's certificate is for the name
// kubernetes.
func registration(s *settings, r *row) source.Resource {
	return source.Resource{Location: "management", Attrs: object(
		field{"server", parts(source.Part{Text: "https://"}, s.of(r, "server_ip"), source.Part{Text: ":6443"})},
		field{"server_name", text("kubernetes")},
		field{"kubeconfig", parts(s.of(r, "kubeconfig"))},
		field{"labels", object(field{"env", text(r.name())}, field{"provider", text(r.text(columnProvider))},
			field{"type", text("business")})},
	)}
}

// environment is that of Portainer's for the agent in the cluster, without which it is of no use.
func environment(s *settings, r *row) source.Resource {
	return source.Resource{
		Location: "portainer", DependsOn: []string{s.cluster(r)},
		Attrs: object(field{"url", text(s.option(OptionPortainer))}),
	}
}

// agent connects the cluster to that environment.
func agent(s *settings, r *row) source.Resource {
	of := func(path string) source.Node {
		return parts(source.Part{Reference: true, Text: s.named("portainer", KindEndpoint, r) + "." + path})
	}
	return source.Resource{
		Location: s.at + "#" + r.name(),
		Attrs:    object(field{"edge_id", of("edge_id")}, field{"edge_key", of("edge_key")}),
	}
}

// branch is what Argo CD deploys to the cluster.
func branch(*settings, *row) source.Resource {
	return source.Resource{Location: "git", Attrs: object()}
}

// refs are all resources that a row can declare.
func (s *settings) refs(r *row) []resource.Ref {
	if !validName(r.name()) {
		return nil
	}
	out := []resource.Ref{{Provider: s.table.opts.Provider, Location: s.at, Kind: Kind, Name: r.name()}}
	for _, kind := range s.kinds {
		if build := builders()[kind]; build != nil {
			out = append(out, resource.Ref{
				Provider: s.table.opts.Provider, Location: build(s, r).Location, Kind: kind, Name: r.name(),
			})
		}
	}
	return out
}

// applications adds the one ApplicationSet of all rows, if it is asked for. It lists the rows, so it cannot be known
// while one of them, at broken, is invalid.
func (s *settings) applications(d *source.Draft, rows []*row, broken *position.Position) {
	if !slices.Contains(s.kinds, KindAppSet) {
		return
	}
	name := s.option(OptionAppsName)
	out := source.Resource{
		Provider: s.table.opts.Provider, Location: "management", Kind: KindAppSet, Name: name,
		At: position.Position{File: s.table.path},
	}
	elements := source.Node{Shape: source.List}
	for _, r := range rows {
		env := text(r.name())
		elements.Kids = append(elements.Kids, object(
			field{"env", env}, field{"hostEnv", env}, field{"branch", env}, field{"clusterName", env},
			field{"ingressClass", text("traefik")},
		))
		for kind, at := range map[string]string{KindSecret: "management", KindBranch: "git"} {
			if slices.Contains(s.kinds, kind) {
				out.DependsOn = append(out.DependsOn, s.named(at, kind, r))
			}
		}
	}
	slices.Sort(out.DependsOn)
	out.Attrs = object(field{"repo", text(s.option(OptionAppsRepo))}, field{"elements", elements})
	if broken != nil {
		out.Broken, out.At = true, *broken
	}
	d.Add(&out)
}

// field is a key of an object with its value.
type field struct {
	key   string
	value source.Node
}

func object(fields ...field) source.Node {
	out := source.Node{Shape: source.Object}
	for _, f := range fields {
		out.Kids = append(out.Kids, source.Node{Text: f.key}, f.value)
	}
	return out
}

func text(s string) source.Node { return source.Node{Type: source.String, Quoted: true, Text: s} }

// parts is a string with references in it.
func parts(all ...source.Part) source.Node {
	n := text("")
	for _, p := range all {
		if p.Reference {
			n.Text += "${" + p.Text + "}"
		} else {
			n.Text += p.Text
		}
	}
	list := source.Parts(all)
	n.Parts = &list
	return n
}
