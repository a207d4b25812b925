package byhand

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// quadlets writes the units of Podman's generator: a container, network, volume or pod each. Secrets
// are references to those on the host. ovi's own labels are not in them.
func quadlets(stack string, all []resource.Desired) provider.Exported {
	q := &quadlet{stack: stack, all: all, out: provider.Exported{
		Files: map[string]string{},
		Next: "copy the files of DIR to /etc/containers/systemd, or ~/.config/containers/systemd, and run `systemctl " +
			"daemon-reload`",
	}}
	for _, d := range all {
		switch d.Ref.Kind {
		case schema.Container:
			q.container(d)
		case schema.Pod:
			q.pod(d)
		case schema.Network:
			q.network(d)
		case schema.Volume:
			q.volume(d)
		case schema.Secret:
			q.note(d,
				"its values; it has to exist on the host, as "+strings.Join(secretParts(d),
					", ")+" (after a change of its value with a suffix, see podman secret ls)")
		}
	}
	return q.out
}

type quadlet struct {
	stack string
	all   []resource.Desired
	out   provider.Exported
}

func (q *quadlet) note(d resource.Desired, text string) {
	q.out.Notes = append(q.out.Notes, provider.ExportNote{Ref: d.Ref, Text: text})
}

func (q *quadlet) find(r resource.Ref) (resource.Desired, bool) {
	i := slices.IndexFunc(q.all, func(d resource.Desired) bool { return d.Ref.Kind == r.Kind && d.Ref.Name == r.Name })
	if i < 0 {
		return resource.Desired{}, false
	}
	return q.all[i], true
}

// has reports whether a unit of this kind is written.
func (q *quadlet) has(kind, name string) bool {
	_, ok := q.find(resource.Ref{Kind: kind, Name: name})
	return ok
}

// head starts a unit, behind those of the containers and pods that it depends on.
func (q *quadlet) head(d resource.Desired) *unit {
	u := &unit{}
	u.section("Unit")
	u.set("Description", description(d.Ref.Kind, d.Ref.Name, q.stack))
	for _, ref := range d.DependsOn {
		if ref.Kind == schema.Container && q.has(ref.Kind, ref.Name) {
			u.set("Requires", ref.Name+".service")
			u.set("After", ref.Name+".service")
		}
	}
	if d.Blessed {
		q.note(d, "that it is blessed: systemd protects nothing")
	}
	return u
}

// settings writes options of the command line: those with a key of their own, and the others as
// arguments.
func (q *quadlet) settings(u *unit, keys map[string]string, all []setting) {
	for _, s := range all {
		key, known := keys[s.flag]
		switch {
		case s.flag == "--network" && q.has(schema.Network, s.value):
			u.set("Network", s.value+".network")
		case s.flag == "--env" || s.flag == "--label" && known || s.flag == "--sysctl":
			u.words(key, s.value)
		case known:
			u.set(key, s.value)
		case s.alone:
			u.words("PodmanArgs", s.flag)
		default:
			u.words("PodmanArgs", s.flag, s.value)
		}
	}
}

func (q *quadlet) container(d resource.Desired) {
	c := containerSettings(d, q.find)
	for _, text := range c.unsaid {
		q.note(d, text)
	}
	resource.MapRefs(d.Attrs, func(r resource.Reference) resource.Value {
		if r.Path != "" { // It is only known after apply.
			q.note(d, "${"+r.String()+"}: its value is only known to ovi; replace <"+r.String()+"> in the unit")
		}
		return r
	})
	u := q.head(d)
	u.section("Container")
	u.set("ContainerName", d.Ref.Name)
	u.set("Image", c.image)
	keys := map[string]string{ // that Podman 4.6 knows already
		"--network": "Network", "--publish": "PublishPort", "--volume": "Volume", "--secret": "Secret",
		"--env":     "Environment",
		"--workdir": "WorkingDir", "--health-cmd": "HealthCmd", "--health-interval": "HealthInterval",
		"--health-timeout":      "HealthTimeout",
		"--health-start-period": "HealthStartPeriod", "--health-retries": "HealthRetries", "--sysctl": "Sysctl",
		"--cap-add": "AddCapability", "--cap-drop": "DropCapability", "--pull": "Pull", "--label": "Label",
	}
	restart := ""
	for _, s := range c.settings {
		switch {
		case s.flag == "--restart":
			restart = s.value
		case s.flag == "--pod" && q.has(schema.Pod, s.value):
			u.set("Pod", s.value+".pod")
		case s.flag == "--user":
			user, group, grouped := strings.Cut(s.value, ":")
			u.set("User", user)
			if grouped {
				u.set("Group", group)
			}
		case s.flag == "--volume":
			name, rest, _ := strings.Cut(s.value, ":")
			if q.has(schema.Volume, name) {
				s.value = name + ".volume:" + rest
			}
			u.set("Volume", s.value)
		default:
			q.settings(u, keys, []setting{s})
		}
	}
	if len(c.args) > 0 {
		u.words("Exec", slices.Clone(c.args)...)
	}
	u.section("Service")
	u.set("Restart", q.restart(d, restart))
	q.install(u, d)
	q.out.Files[d.Ref.Name+".container"] = u.text()
}

// restart is the restart policy in systemd's words.
func (q *quadlet) restart(d resource.Desired, policy string) string {
	name, tries, limited := strings.Cut(policy, ":")
	if limited {
		q.note(d, fmt.Sprintf("at most %s restarts: systemd counts by time, see StartLimitBurst", tries))
	}
	switch name {
	case "always", "unless-stopped":
		return "always"
	case "on-failure":
		return "on-failure"
	}
	return "no"
}

// install starts a unit at boot, unless its resource is configured to be stopped.
func (q *quadlet) install(u *unit, d resource.Desired) {
	if d.State == resource.StateStopped {
		q.note(d, "that it is stopped: its unit is not started at boot")
		return
	}
	u.section("Install")
	u.set("WantedBy", atBoot)
}

func (q *quadlet) pod(d resource.Desired) {
	u := q.head(d)
	u.section("Pod")
	u.set("PodName", d.Ref.Name)
	q.settings(u, map[string]string{"--network": "Network", "--publish": "PublishPort"}, podSettings(d.Attrs))
	q.install(u, d)
	q.out.Files[d.Ref.Name+".pod"] = u.text()
}

func (q *quadlet) network(d resource.Desired) {
	u := q.head(d)
	u.section("Network")
	u.set("NetworkName", d.Ref.Name)
	q.settings(u,
		map[string]string{"--driver": "Driver", "--subnet": "Subnet", "--gateway": "Gateway", "--label": "Label"},
		networkSettings(d.Attrs))
	q.out.Files[d.Ref.Name+".network"] = u.text()
}

// volume writes a unit for a volume; a path of the host needs none.
func (q *quadlet) volume(d resource.Desired) {
	if path, _ := spec.HostPath(d.Attrs); path != "" {
		return
	}
	u := q.head(d)
	u.section("Volume")
	u.set("VolumeName", d.Ref.Name)
	q.settings(u, map[string]string{"--driver": "Driver", "--label": "Label"}, volumeSettings(d.Attrs))
	q.out.Files[d.Ref.Name+".volume"] = u.text()
}
