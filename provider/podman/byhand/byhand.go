// Package byhand writes what ovi does for users to do themselves: command lines of Podman, and units of systemd. No
// label of ovi's and no value of a secret is in them. It is pure.
package byhand

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// Commands returns the commands of Podman's that do what an operation does, for users to read and to
// run: without the labels by which ovi finds its resources again, and without the values of secrets.
func Commands(o provider.Operation) []string {
	ref := o.Desired.Ref
	switch o.Verb {
	case provider.VerbCreate:
		return createByHand(o)
	case provider.VerbUpdate:
		return updateByHand(o)
	case provider.VerbDelete:
		return deleteByHand(o)
	case provider.VerbSetAside:
		return joined(cmdline("podman rename", ref.Name,
			oldName(provider.Operation{Desired: o.Desired, Have: o.Have, Beside: true})))
	case provider.VerbSwitch:
		start, stop := cmdline("podman start", ref.Name), cmdline("podman stop", oldName(o))
		if o.Desired.Replace == resource.StartFirst {
			return joined(start, stop)
		}
		return joined(stop, start)
	case provider.VerbRestore:
		return joined(cmdline("podman rename", oldName(provider.Operation{Desired: o.Desired, Have: o.Have, Beside: true}),
			ref.Name),
			cmdline("podman start", ref.Name))
	}
	return nil
}

// oldName is the name of the resource that exists: set aside, if another has its name meanwhile.
func oldName(o provider.Operation) string {
	switch {
	case o.Have == nil:
		return o.Desired.Ref.Name
	case o.Desired.Ref.Kind == schema.Secret && o.Beside:
		return o.Have.ID
	case o.Desired.Ref.Kind == schema.Container && o.Beside:
		return spec.AsideName(o.Desired.Ref.Name, o.Have.ID)
	}
	return o.Have.NaturalRef().Name
}

func createByHand(o provider.Operation) []string {
	name, a := o.Desired.Ref.Name, o.Desired.Attrs
	switch o.Desired.Ref.Kind {
	case schema.Container:
		verb := "podman run -d --name"
		if o.Beside || o.Desired.State == resource.StateStopped {
			verb = "podman create --name"
		}
		c := containerSettings(o.Desired, o.Find)
		line := cmdline(verb, name)
		line.add(c.settings...)
		if o.Have != nil {
			line.add(inheritSettings(o.Have.Attrs)...)
		}
		return joined(append(append(line, shell(c.image)), shells(c.args)...))
	case schema.Pod:
		line := cmdline("podman pod create --name", name)
		line.add(podSettings(a)...)
		return joined(line, cmdline("podman pod start", name))
	case schema.Network:
		line := cmdline("podman network create", name)
		line.add(networkSettings(a)...)
		return joined(line)
	case schema.Volume:
		line := cmdline("podman volume create", name)
		line.add(volumeSettings(a)...)
		return joined(line)
	case schema.Secret:
		var out []line
		for _, part := range secretParts(o.Desired) {
			out = append(out, cmdline("podman secret create", part, "-"))
		}
		return joined(out...)
	}
	return nil
}

// secretParts are the names of the secrets of Podman's that hold the values of a secret.
func secretParts(d resource.Desired) []string {
	var out []string
	data := d.Attrs.Object("data")
	for _, k := range data {
		out = append(out, partName(d.Ref.Name, k.Name, len(data)))
	}
	return out
}

func partName(secret, key string, keys int) string {
	if keys == 1 {
		return secret
	}
	return secret + "." + key
}

func deleteByHand(o provider.Operation) []string {
	kind, name := o.Desired.Ref.Kind, oldName(o)
	switch kind {
	case schema.Container:
		if o.Beside { // it is stopped already
			return joined(cmdline("podman rm", name))
		}
		return joined(cmdline("podman stop", name), cmdline("podman rm", name))
	case schema.Pod:
		return joined(cmdline("podman pod stop", name), cmdline("podman pod rm", name))
	case schema.Network, schema.Volume, schema.Secret:
		return joined(cmdline("podman "+kind+" rm", name))
	}
	return nil
}

func updateByHand(o provider.Operation) []string {
	name := o.Desired.Ref.Name
	var out []string
	limited := false
	for _, c := range o.Changes {
		switch {
		case c.On == resource.OnName:
			was, _ := c.From.(resource.String)
			out = append(out, "podman rename "+shell(string(was))+" "+shell(name))
		case c.On == resource.OnState && o.Desired.State == resource.StateStopped:
			out = append(out, "podman stop "+shell(name))
		case c.On == resource.OnState && o.Have != nil && o.Have.Health == resource.Failing:
			out = append(out, "podman restart "+shell(name))
		case c.On == resource.OnState:
			out = append(out, "podman start "+shell(name))
		case c.On != resource.OnAttribute:
		case c.Path == "networks" || strings.HasPrefix(c.Path, "networks["):
			out = append(out, reconnectByHand(name, c, o.Desired.Attrs)...)
		case schema.PathIn(c.Path, "resources") && !limited:
			limited = true
			v, _ := o.Desired.Attrs.Get("resources")
			line := cmdline("podman update")
			line.add(limitSettings(v)...)
			out = append(out, joined(append(line, shell(name)))...)
		}
	}
	return out
}

// reconnectByHand connects a container to networks that it has to have, and disconnects it from
// others.
func reconnectByHand(name string, c resource.Change, a resource.Attrs) []string {
	from, to := namesIn(c.From), namesIn(c.To)
	var out []string
	for _, n := range slices.Sorted(maps.Keys(to)) {
		if !from[n] {
			line := cmdline("podman network connect")
			line.add(each("--alias", a.Texts("network_aliases"))...)
			out = append(out, joined(append(line, shell(n), shell(name)))...)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(from)) {
		if !to[n] {
			out = append(out, joined(cmdline("podman network disconnect", n, name))...)
		}
	}
	return out
}
