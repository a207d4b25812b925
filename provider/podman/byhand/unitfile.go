package byhand

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// Exports are the forms in which systemd takes a stack.
func Exports() []provider.Export {
	return []provider.Export{
		{
			Format: "quadlet",
			Doc:    "units of Podman's generator, 4.6 or later (5.0 with pods), which create and start the same containers",
			Files:  quadlets,
		},
		{
			Format: "systemd", Doc: "plain units that start the containers that ovi created, for hosts without the generator",
			Managed: true, Files: services,
		},
	}
}

// unit is a unit file of systemd.
type unit struct{ b strings.Builder }

func (u *unit) section(name string) {
	if u.b.Len() > 0 {
		u.b.WriteString("\n")
	}
	u.b.WriteString("[" + name + "]\n")
}

// set writes a line whose value is read as it is, except that % and $ are expanded.
func (u *unit) set(key, value string) {
	u.b.WriteString(key + "=" + strings.NewReplacer("%", "%%", "$", "$$", "\n", " ").Replace(value) + "\n")
}

// words writes a line whose value is split into words, each quoted where it has to be.
func (u *unit) words(key string, words ...string) {
	for i, w := range words {
		words[i] = strings.NewReplacer(
			`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%", "$", "$$").Replace(w)
		if w == "" || strings.ContainsAny(w, " \t\n\r\"'\\;") {
			words[i] = `"` + words[i] + `"`
		}
	}
	u.b.WriteString(key + "=" + strings.Join(words, " ") + "\n")
}

func (u *unit) text() string { return u.b.String() }

// description is the description of a unit.
func description(kind, name, stack string) string {
	return kind + " " + name + " of stack " + stack
}

// atBoot are the targets of a machine that has started, of the system and of a user.
const atBoot = "multi-user.target default.target"

// services writes a unit for each pod, and for each container outside of one, that starts what ovi
// created. ovi still manages it: its replacement has the same name.
func services(stack string, all []resource.Desired) provider.Exported {
	q := &quadlet{stack: stack, all: all, out: provider.Exported{
		Files: map[string]string{},
		Next: "copy the files of DIR to /etc/systemd/system, and run `systemctl daemon-reload` and `systemctl enable` " +
			"with their names",
	}}
	for _, d := range all {
		pod, inPod := namedOf(d.Attrs, "pod")
		switch {
		case d.State == resource.StateStopped:
			q.note(d, "nothing starts it: it is configured to be stopped")
		case d.Ref.Kind == schema.Pod:
			q.service(d, "pod")
		case d.Ref.Kind == schema.Container && inPod && q.has(schema.Pod, pod):
			q.note(d, "it starts with its pod "+pod)
		case d.Ref.Kind == schema.Container:
			q.service(d)
		}
	}
	return q.out
}

func (q *quadlet) service(d resource.Desired, command ...string) {
	u := &unit{}
	u.section("Unit")
	u.set("Description", description(d.Ref.Kind, d.Ref.Name, q.stack))
	u.set("After", "network-online.target")
	u.set("Wants", "network-online.target") // style:ok
	for _, ref := range q.before(d) {
		u.set("After", unitName(ref)+".service")
	}
	u.section("Service")
	u.set("Type", "oneshot")
	u.set("RemainAfterExit", "yes")
	words := append([]string{"/usr/bin/podman"}, command...)
	u.words("ExecStart", append(slices.Clone(words), "start", d.Ref.Name)...)
	u.words("ExecStop", append(slices.Clone(words), "stop", d.Ref.Name)...)
	u.section("Install")
	u.set("WantedBy", atBoot)
	q.out.Files[unitName(d.Ref)+".service"] = u.text()
}

// before are the containers and pods that start before a resource: those that it depends on, of a pod
// those that its containers depend on.
func (q *quadlet) before(d resource.Desired) []resource.Ref {
	var out []resource.Ref
	add := func(of resource.Desired) {
		for _, ref := range of.DependsOn {
			x, ok := q.find(ref)
			if pod, in := namedOf(x.Attrs, "pod"); ok && in {
				x, ok = q.find(resource.Ref{Kind: schema.Pod, Name: pod})
			}
			if ok && (x.Ref.Kind == schema.Container || x.Ref.Kind == schema.Pod) && x.Ref != d.Ref &&
				!slices.Contains(out, x.Ref) {
				out = append(out, x.Ref)
			}
		}
	}
	add(d)
	for _, x := range q.all {
		if pod, ok := namedOf(x.Attrs, "pod"); ok && d.Ref.Kind == schema.Pod && pod == d.Ref.Name {
			add(x)
		}
	}
	return out
}

// unitName keeps the units of pods apart from those of containers of the same name.
func unitName(ref resource.Ref) string {
	if ref.Kind == schema.Pod {
		return ref.Name + "-pod"
	}
	return ref.Name
}
