package compose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// service is the service being read.
type service struct {
	*importer
	name string
	n    *source.Node
	m    manifest
	env  object // the variables, which are in a secret of the service
}

// readers read the keys of a service, by the key; the others are noted.
func readers() map[string]func(*service, *source.Node) {
	return map[string]func(*service, *source.Node){
		"image":       func(s *service, n *source.Node) { s.m.spec.set("image", qualified(s.text(n))) },
		"pull_policy": (*service).pullPolicy,
		"entrypoint":  func(s *service, n *source.Node) { s.m.spec.set("command", s.command(n)) },
		"command":     func(s *service, n *source.Node) { s.m.spec.set("args", s.command(n)) },
		"environment": (*service).environment,
		"env_file":    (*service).envFile,
		"working_dir": func(s *service, n *source.Node) { s.m.spec.set("workingDir", s.text(n)) },
		"user":        (*service).user,
		"ports":       (*service).ports,
		"expose":      func(*service, *source.Node) {}, // containers of a network reach every port
		"networks":    (*service).networks,
		"volumes":     (*service).mounts,
		"tmpfs":       (*service).tmpfs,
		"secrets":     (*service).secrets,
		"depends_on":  (*service).dependsOn,
		"links":       (*service).dependsOn,
		"healthcheck": (*service).healthcheck,
		"restart":     func(s *service, n *source.Node) { s.m.spec.set("restartPolicy", s.text(n)) },
		"deploy":      (*service).deploy,
		"cpus":        func(s *service, n *source.Node) { s.limit("limits", "cpu", s.text(n)) },
		"mem_limit":   func(s *service, n *source.Node) { s.limit("limits", "memory", s.memory(n)) },
		"mem_reservation": func(s *service, n *source.Node) {
			s.limit("requests", "memory", s.memory(n))
		},
		"labels":     func(s *service, n *source.Node) { s.m.metadata.setIf("labels", s.labels(n)) },
		"privileged": func(s *service, n *source.Node) { s.security("privileged", n.Text == "true") },
		"cap_add":    func(s *service, n *source.Node) { s.capability("add", n) },
		"cap_drop":   func(s *service, n *source.Node) { s.capability("drop", n) },
		"sysctls":    func(s *service, n *source.Node) { s.m.spec.setIf("sysctl", s.words(n, false)) },
	}
}

// service turns a service into a container.
func (i *importer) service(key, n *source.Node) {
	if !i.fits(key, "service") {
		return
	}
	s := &service{importer: i, name: key.Text, n: n, m: manifest{kind: "CuteContainer", name: key.Text}}
	if n.Shape != source.Object {
		i.problem(n, "the service "+source.Quote(key.Text)+" must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	if n.Get("image") == nil {
		if n.Get("build") == nil {
			i.note(key, "services."+s.name+".image", "build the image, and name it as spec.image")
		}
		s.m.spec.set("image", "localhost/"+chartName(s.name)+":latest")
	}
	known := readers()
	for k, v := range pairs(n) {
		read, ok := known[k.Text]
		switch {
		case v.IsNull() || strings.HasPrefix(k.Text, "x-"):
		case !ok:
			s.lacks(k, k.Text)
		default:
			read(s, v)
		}
	}
	if n.Get("networks") == nil && n.Get("network_mode") == nil {
		s.connect("default")
	}
	s.keepSecret()
	i.manifests[s.name+".yaml"] = append(i.manifests[s.name+".yaml"], s.m)
}

// qualified is an image with its registry, which is Docker Hub where Compose names none.
func qualified(image string) string {
	domain, _, path := strings.Cut(image, "/")
	switch {
	case strings.HasPrefix(image, "{{"), path && (strings.ContainsAny(domain, ".:") || domain == "localhost"):
		return image
	case path:
		return "docker.io/" + image
	}
	return "docker.io/library/" + image
}

// lacks notes a key of the service that the chart lacks.
func (s *service) lacks(n *source.Node, key string) {
	s.note(n, "services."+s.name+"."+key, advice(s.name, key))
}

// advice tells what to do instead of a key.
func advice(service, key string) string {
	switch key {
	case "build":
		return "build the image as localhost/" + chartName(service) + ":latest, or name another as spec.image"
	case "container_name":
		return "the container is called " + service
	case "scale", "deploy.replicas":
		return "use {{ range until N }} around the manifest"
	case "configs":
		return "use a volume with hostPath, or a secret"
	case "extends", "include":
		return "import the output of `docker compose config`, which has it resolved"
	case "profiles":
		return "use {{ if .Values.NAME }} around the manifest"
	case "network_mode":
		return "use networks, or a pod for containers that share one"
	case "hostname":
		return "use networkAliases"
	case "healthcheck.disable":
		return "the check of the image, if it has one, is used"
	}
	return "charts have no such field"
}

// words reads a map, or a list of KEY=VALUE. A key without a value is an environment variable of
// the one who runs it.
func (s *service) words(n *source.Node, fromEnv bool) object {
	out := object{}
	for k, v := range pairs(n) {
		switch {
		case v.IsNull() && fromEnv:
			out.set(literal(k.Text), "${env:"+k.Text+"}")
		case v.IsNull():
			out.set(literal(k.Text), "")
		default:
			out.set(literal(k.Text), s.text(v))
		}
	}
	for _, item := range listOf(n) {
		key, value, ok := strings.Cut(item.Text, "=")
		if !ok && fromEnv {
			out.set(literal(key), "${env:"+key+"}")
			continue
		}
		out.set(literal(key), s.expand(&item, value))
	}
	return out
}

// listOf are the elements of a list.
func listOf(n *source.Node) []source.Node {
	if n.Shape == source.List {
		return n.Kids
	}
	return nil
}

func (s *service) environment(n *source.Node) {
	for _, p := range s.words(n, true) {
		if !isVariable.MatchString(p.key) {
			s.problem(n, "invalid name of an environment variable "+source.Quote(p.key), "use letters, digits and '_'")
			continue
		}
		s.env.set(p.key, p.value)
	}
}

// isVariable matches the name of a variable that a secret can have as a key.
var isVariable = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$`)

// keepSecret writes the variables of the service to a secret, because a Compose file does not tell which of them
// are passwords. An empty value is no secret, and Podman would reject it; such a variable remains in env.
func (s *service) keepSecret() {
	var data object
	var empty []any
	for _, p := range s.env {
		if s.isEmpty(p.value) {
			empty = append(empty, object{{"name", p.key}, {"value", p.value}})
			continue
		}
		data = append(data, p)
	}
	if empty != nil {
		s.m.spec.set("env", empty)
	}
	files, _ := s.m.spec.get("envFile").([]any)
	if len(files) == 0 && len(data) == 0 {
		return
	}
	secret := manifest{kind: "CuteSecret", name: s.secretName()}
	secret.spec.setIf("stringData", data)
	if len(files) > 0 {
		secret.spec.set("envFile", files)
		s.m.spec = slices.DeleteFunc(s.m.spec, func(p pair) bool { return p.key == "envFile" })
	}
	have, _ := s.m.spec.get("secrets").([]any)
	s.m.spec.set("secrets", append(have, object{{"name", secret.name}, {"env", true}}))
	s.manifests[s.name+".yaml"] = append(s.manifests[s.name+".yaml"], secret)
}

// isEmpty reports whether a value is empty with the variables of the file.
func (s *service) isEmpty(v any) bool {
	text, _ := v.(string)
	for name, value := range s.variables.values {
		text = strings.ReplaceAll(text, "{{ .Values."+name+" }}", value)
	}
	return text == ""
}

// secretName returns the name of the secret with the variables of the service.
func (s *service) secretName() string {
	name := s.name[:min(len(s.name), maxName-len("-env"))] + "-env"
	for s.root.Get("secrets").Get(name) != nil {
		name = name[:min(len(name), maxName-1)] + "0"
	}
	return name
}

func (i *importer) labels(n *source.Node) object {
	s := &service{importer: i}
	return s.words(n, false)
}

func (s *service) envFile(n *source.Node) {
	var out []any
	for _, item := range items(n) {
		file := &item
		if item.Shape == source.Object {
			if file = item.Get("path"); file == nil {
				continue
			}
			if r := item.Get("required"); r != nil {
				s.lacks(r, "env_file.required")
			}
		}
		out = append(out, literal(s.relative(file.Text)))
	}
	s.m.spec.set("envFile", out)
}

// command reads a command: a list, or a line that a shell would split.
func (s *service) command(n *source.Node) []any {
	out := []any{}
	if n.Shape == source.Scalar {
		words, ok := split(n.Text)
		if !ok {
			return []any{"/bin/sh", "-c", s.text(n)}
		}
		for _, w := range words {
			out = append(out, s.expand(n, w))
		}
		return out
	}
	for _, item := range items(n) {
		out = append(out, s.text(&item))
	}
	return out
}

// split splits a line at white space, with quotes as in a shell; false where only a shell could.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	quote, open := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, quote == 0
}

func (s *service) pullPolicy(n *source.Node) {
	policies := map[string]string{
		"always": "Always", "never": "Never", "missing": "IfNotPresent",
		"if_not_present": "IfNotPresent",
	}
	if p, ok := policies[n.Text]; ok {
		s.m.spec.set("imagePullPolicy", p)
		return
	}
	s.lacks(n, "pull_policy")
}

func (s *service) user(n *source.Node) {
	uid, gid, both := strings.Cut(n.Text, ":")
	if !isNumber(uid) || both && !isNumber(gid) {
		s.note(n, "services."+s.name+".user", "use the numbers of the user and group as spec.uid and spec.gid")
		return
	}
	s.m.spec.set("uid", raw(uid))
	if both {
		s.m.spec.set("gid", raw(gid))
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// dependsOn reads depends_on and links. ovi waits until what a container depends on is healthy, if
// it has a check, else until it runs.
func (s *service) dependsOn(n *source.Node) {
	add := func(at *source.Node, name string) {
		if s.root.Get("services").Get(name) == nil {
			s.problem(at, "unknown service "+source.Quote(name), "declare it under services")
			return
		}
		have, _ := s.m.metadata.get("dependsOn").([]any)
		for _, x := range have {
			if x == "container/"+name {
				return
			}
		}
		s.m.metadata.set("dependsOn", append(have, "container/"+name))
	}
	for k, v := range pairs(n) {
		if c := v.Get("condition"); c != nil && c.Text == "service_completed_successfully" {
			s.note(c, "services."+s.name+".depends_on."+k.Text+".condition", "charts have no containers that run once")
			continue
		}
		add(k, k.Text)
	}
	for _, item := range listOf(n) {
		name, _, _ := strings.Cut(item.Text, ":")
		add(&item, name)
	}
}

func (s *service) security(key string, v any) {
	have, _ := s.m.spec.get("securityContext").(object)
	have.set(key, v)
	s.m.spec.set("securityContext", have)
}

func (s *service) capability(key string, n *source.Node) {
	context, _ := s.m.spec.get("securityContext").(object)
	have, _ := context.get("capabilities").(object)
	var names []any
	for _, item := range items(n) {
		names = append(names, s.text(&item))
	}
	have.set(key, names)
	s.security("capabilities", have)
}
