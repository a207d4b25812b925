package chart

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// podContainers keeps which containers a pod names: each of them gets the pod as its own field,
// so that containers depend on their pod and never the other way around.
func (m *manifest) podContainers(spec, _, n *source.Node) {
	put(spec, "containers", nil)
	names, from := m.words(n, "spec.containers", "[web, worker]")
	for i, name := range names {
		m.members = append(m.members, member{m, name, from[i]})
	}
}

// member is a container that a pod names.
type member struct {
	pod  *manifest
	name string
	at   *source.Node
}

// joinPods gives the containers that pods name their pods.
func (l *loader) joinPods() {
	containers := map[string]*manifest{}
	var names []string
	for _, m := range l.manifests {
		if m.kind.Name == kindContainer {
			containers[m.r.Name], names = m, append(names, m.r.Name)
		}
	}
	for _, x := range l.members {
		c := containers[x.name]
		if c == nil {
			if !l.missing {
				x.pod.wrong(x.at, "unknown container "+source.Quote(x.name),
					page.NearestOr(x.name, names, "add it, or remove it from the pod"))
			}
			continue
		}
		pod := c.r.Attrs.Get("pod")
		if pod != nil && pod.Text != x.pod.r.Name {
			x.pod.wrong(x.at, "container "+source.Quote(x.name)+" is in pod "+pod.What()+" too", "remove it from one of them")
			continue
		}
		if pod == nil {
			v := *x.at
			v.Text, v.File = x.pod.r.Name, l.FileOf(c.text, x.pod.at(x.at).File)
			put(&c.r.Attrs, "pod", &v)
		}
	}
}

// addAliases makes resources found by their names without the namespace.
func (m *manifest) addAliases() {
	aliased, networks := false, m.r.Attrs.Get("networks")
	for i := range m.kind.Attrs {
		aliased = aliased || m.kind.Attrs[i].Name == hostNames && m.kind.Attrs[i].Type == resource.TSet
	}
	if m.opts.Namespace == "" || !aliased || networks == nil || len(networks.Kids) == 0 {
		return
	}
	n := source.Node{Shape: source.List, Line: m.name.Line, Column: m.name.Column, File: m.name.File}
	if have := m.r.Attrs.Get(hostNames); have != nil {
		n = have.Clone()
	}
	n.Kids = append(n.Kids, *m.name)
	put(&m.r.Attrs, hostNames, &n)
}
