package podman

import (
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// services writes a unit for each pod, and for each container outside of one, that starts what ovi
// created. ovi still manages it: its replacement has the same name.
func services(stack string, all []resource.Desired) provider.Exported {
	q := &quadlet{stack: stack, all: all, out: provider.Exported{
		Files: map[string]string{}, Next: "copy the files of DIR to /etc/systemd/system, and run `systemctl daemon-reload` and `systemctl enable` with their names",
	}}
	for _, d := range all {
		pod, inPod := namedOf(d.Attrs, "pod")
		switch {
		case d.State == resource.StateStopped:
			q.note(d, "nothing starts it: it is configured to be stopped")
		case d.Ref.Kind == kindPod:
			q.service(d, "pod")
		case d.Ref.Kind == kindContainer && inPod && q.has(kindPod, pod):
			q.note(d, "it starts with its pod "+pod)
		case d.Ref.Kind == kindContainer:
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
				x, ok = q.find(resource.Ref{Kind: kindPod, Name: pod})
			}
			if ok && (x.Ref.Kind == kindContainer || x.Ref.Kind == kindPod) && x.Ref != d.Ref && !slices.Contains(out, x.Ref) {
				out = append(out, x.Ref)
			}
		}
	}
	add(d)
	for _, x := range q.all {
		if pod, ok := namedOf(x.Attrs, "pod"); ok && d.Ref.Kind == kindPod && pod == d.Ref.Name {
			add(x)
		}
	}
	return out
}

// unitName keeps the units of pods apart from those of containers of the same name.
func unitName(ref resource.Ref) string {
	if ref.Kind == kindPod {
		return ref.Name + "-pod"
	}
	return ref.Name
}
