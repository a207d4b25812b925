package compose

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// relative is a path of the Compose file as the chart writes it.
func (i *importer) relative(p string) string {
	if filepath.IsAbs(p) || strings.HasPrefix(p, "$") {
		return p
	}
	if rel, err := filepath.Rel(i.Into, filepath.Join(i.Dir, p)); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.Join(i.Dir, p)
}

// mounts reads volumes: NAME:PATH[:ro], a path of the host, or a path alone, and the long form.
func (s *service) mounts(n *source.Node) {
	for _, item := range items(n) {
		if item.Shape == source.Object {
			s.longMount(&item)
			continue
		}
		parts := strings.Split(item.Text, ":")
		if strings.Contains(item.Text, "${") { // a colon may be in a variable
			_, parts[0], _ = cutPorts(item.Text)
			ip, host, last := cutPorts(item.Text)
			parts = slices.DeleteFunc([]string{ip, host, last}, func(p string) bool { return p == "" })
		}
		from, path, mode := "", parts[0], ""
		if len(parts) > 1 {
			from, path = parts[0], parts[1]
		}
		if len(parts) > 2 {
			mode = parts[2]
		}
		s.mount(&item, from, path, strings.Split(mode, ","))
	}
}

func (s *service) longMount(n *source.Node) {
	text := func(key string) string {
		if v := n.Get(key); v != nil {
			return v.Text
		}
		return ""
	}
	var mode []string
	for k, v := range pairs(n) {
		switch k.Text {
		case "type", "source", "target":
		case "read_only":
			if v.Text == "true" {
				mode = append(mode, "ro")
			}
		default:
			s.lacks(k, "volumes."+k.Text)
		}
	}
	switch kind := text("type"); kind {
	case "tmpfs":
		s.memoryMount(n, text("target"))
	case "", "volume", "bind":
		s.mount(n, text("source"), text("target"), mode)
	default:
		s.lacks(n, "volumes.type: "+kind)
	}
}

// mount adds one mount.
func (s *service) mount(n *source.Node, from, path string, mode []string) {
	o := object{}
	switch {
	case from == "":
		from = s.newVolume(path, object{})
	case strings.HasPrefix(from, "~"):
		s.note(n, source.Quote(from)+" is in the home of a user", "use an absolute path")
		return
	case strings.HasPrefix(from, ".") || strings.HasPrefix(from, "/") || strings.HasPrefix(from, "$"):
		if !filepath.IsAbs(from) && !strings.HasPrefix(from, "$") {
			from = filepath.Join(s.Dir, from)
		}
		kind := "Directory"
		if s.IsFile(from) {
			kind = "File"
		}
		hostPath := object{{"path", s.expand(n, from)}, {"type", kind}}
		from = s.newVolume(path, object{{"type", "bind"}, {"hostPath", hostPath}})
	case s.external["volumes."+from]:
		s.note(n, "the external volume "+from+" is not mounted at "+path, "declare it in the chart, and mount it in "+s.name)
		return
	default:
		if s.root.Get("volumes").Get(from) == nil {
			s.problem(n, "unknown volume "+source.Quote(from), "declare it under volumes")
			return
		}
	}
	o.set("name", from)
	o.set("mountPath", s.expand(n, path))
	for _, m := range mode {
		switch m {
		case "ro":
			o.set("readOnly", true)
		case "z", "Z":
			o.set("mountOptions", object{{"seLinuxLabel", m}})
		case "", "rw":
		default:
			s.lacks(n, "volumes: option "+m)
		}
	}
	s.addMount(o)
}

func (s *service) addMount(o object) {
	have, _ := s.m.spec.get("volumes").([]any)
	s.m.spec.set("volumes", append(have, o))
}

// newVolume declares a volume of the service's own, named by where it is mounted.
func (s *service) newVolume(path string, spec object) string {
	name := s.name + "-" + chartName(strings.ReplaceAll(strings.Trim(path, "/"), "/", "-"))
	if !s.volumes[name] {
		s.volumes[name] = true
		file := s.name + ".yaml"
		s.manifests[file] = append(s.manifests[file], manifest{kind: "CuteVolume", name: name, spec: spec})
	}
	return name
}

func (s *service) memoryMount(n *source.Node, path string) {
	path, _, _ = strings.Cut(path, ":")
	name := s.newVolume(path, object{{"emptyDir", object{{"medium", "Memory"}}}})
	s.addMount(object{{"name", name}, {"mountPath", s.expand(n, path)}})
}

func (s *service) tmpfs(n *source.Node) {
	for _, item := range items(n) {
		s.memoryMount(&item, item.Text)
	}
}

// secrets reads the secrets of a service: files below /run/secrets.
func (s *service) secrets(n *source.Node) {
	var out []any
	for _, item := range items(n) {
		name, path := item.Text, ""
		if item.Shape == source.Object {
			if v := item.Get("source"); v != nil {
				name = v.Text
			}
			for k, v := range pairs(&item) {
				switch k.Text {
				case "source":
				case "target":
					if path = s.text(v); !strings.HasPrefix(path, "/") {
						path = "/run/secrets/" + path
					}
				default:
					s.lacks(k, "secrets."+k.Text)
				}
			}
		}
		if s.external["secrets."+name] {
			continue
		}
		if s.root.Get("secrets").Get(name) == nil {
			s.problem(&item, "unknown secret "+source.Quote(name), "declare it under secrets")
			continue
		}
		o := object{{"name", name}}
		if path != "" {
			o.set("path", path)
		}
		out = append(out, o)
	}
	if len(out) > 0 {
		s.m.spec.set("secrets", out)
	}
}

// readVolumes declares the volumes of the file.
func (i *importer) readVolumes() {
	for key, v := range pairs(i.root.Get("volumes")) {
		if !i.fits(key, "volume") || i.external["volumes."+key.Text] {
			continue
		}
		m := manifest{kind: "CuteVolume", name: key.Text}
		i.driver(&m, v, "volumes."+key.Text, nil)
		i.manifests["volumes.yaml"] = append(i.manifests["volumes.yaml"], m)
	}
}

// driver reads what networks and volumes have in common, and gives the rest to more.
func (i *importer) driver(m *manifest, n *source.Node, path string, more func(key, v *source.Node) bool) {
	s := &service{importer: i}
	for k, v := range pairs(n) {
		switch k.Text {
		case "driver":
			if v.Text != "default" {
				m.spec.set("driver", s.text(v))
			}
		case "driver_opts":
			m.spec.setIf("options", s.words(v, false))
		case "labels":
			m.metadata.setIf("labels", s.words(v, false))
		case "external":
		default:
			if !strings.HasPrefix(k.Text, "x-") && (more == nil || !more(k, v)) {
				i.note(k, path+"."+k.Text, advice("", k.Text))
			}
		}
	}
}

// outside returns a reference to a value that is not in the file.
func (i *importer) outside(n *source.Node, from, name string) string {
	if name == "" || strings.ContainsAny(name, "{}$\n") {
		i.problem(n, source.Quote(name)+" cannot be read", "write a name without variables and braces")
	}
	return "${" + from + name + "}"
}

// readSecrets declares the secrets of the file. Their values stay where they are.
func (i *importer) readSecrets() {
	for key, v := range pairs(i.root.Get("secrets")) {
		if !i.fits(key, "secret") || i.external["secrets."+key.Text] {
			continue
		}
		from := ""
		for k, x := range pairs(v) {
			switch k.Text {
			case "file":
				from = i.outside(x, "file:", i.relative(x.Text))
			case "environment":
				from = i.outside(x, "env:", x.Text)
			default:
				i.note(k, "secrets."+key.Text+"."+k.Text, advice("", k.Text))
			}
		}
		if from == "" {
			i.problem(key, "the secret "+source.Quote(key.Text)+" has no value", "use file or environment")
			continue
		}
		m := manifest{kind: "CuteSecret", name: key.Text, spec: object{{"stringData", object{{key.Text, from}}}}}
		i.manifests["secrets.yaml"] = append(i.manifests["secrets.yaml"], m)
	}
}
