package compose

import (
	"github.com/ovi-project/ovi/source"
)

// network is the name of a network in the chart: the one that Compose makes by itself has the
// name of the project in it.
func (i *importer) network(name string) string {
	if name == "default" {
		return i.name + "-default"
	}
	return name
}

// connect connects the service to a network.
func (s *service) connect(name string) {
	if s.external["networks."+name] {
		return
	}
	s.isDefault = s.isDefault || name == "default"
	have, _ := s.m.spec.get("networks").([]any)
	s.m.spec.set("networks", append(have, s.network(name)))
}

func (s *service) networks(n *source.Node) {
	known := func(n *source.Node) {
		if n.Text != "default" && s.root.Get("networks").Get(n.Text) == nil {
			s.problem(n, "unknown network "+source.Quote(n.Text), "declare it under networks")
			return
		}
		s.connect(n.Text)
	}
	for k, v := range pairs(n) {
		known(k)
		for key, x := range pairs(v) {
			if key.Text != "aliases" {
				s.lacks(key, "networks."+k.Text+"."+key.Text)
				continue
			}
			have, _ := s.m.spec.get("networkAliases").([]any)
			for _, a := range items(x) {
				have = append(have, s.text(&a))
			}
			s.m.spec.set("networkAliases", have)
		}
	}
	for _, item := range listOf(n) {
		known(&item)
	}
}

// readNetworks declares the networks of the file, and the one that services have by default.
func (i *importer) readNetworks() {
	declared := i.root.Get("networks")
	if i.isDefault && declared.Get("default") == nil {
		i.addNetwork("default", nil)
	}
	for key, v := range pairs(declared) {
		if i.fits(key, "network") && !i.external["networks."+key.Text] {
			i.addNetwork(key.Text, v)
		}
	}
}

func (i *importer) addNetwork(name string, n *source.Node) {
	m := manifest{kind: "CuteNetwork", name: i.network(name)}
	i.driver(&m, n, "networks."+name, func(key, v *source.Node) bool {
		if key.Text == "ipam" {
			i.ranges(&m, v, "networks."+name+".ipam")
		}
		return key.Text == "ipam"
	})
	i.manifests["networks.yaml"] = append(i.manifests["networks.yaml"], m)
}

// ranges reads the addresses of a network.
func (i *importer) ranges(m *manifest, n *source.Node, path string) {
	for k, v := range pairs(n) {
		if k.Text != "config" {
			i.note(k, path+"."+k.Text, advice("", k.Text))
			continue
		}
		for at, item := range items(v) {
			if at > 0 {
				i.note(&item, path+".config", "a network of a chart has one subnet")
				break
			}
			for key, x := range pairs(&item) {
				switch key.Text {
				case "subnet", "gateway":
					m.spec.set(key.Text, i.text(x))
				default:
					i.note(key, path+".config."+key.Text, advice("", key.Text))
				}
			}
		}
	}
}
