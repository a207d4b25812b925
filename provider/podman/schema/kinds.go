// Package schema has the kinds of Podman's resources: their attributes, the one form of each value, what two
// resources of a stack cannot both have, and how a change is made. It is pure, and asks no host.
package schema

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Name is the provider's name in refs and configurations.
const Name = "podman"

// The names of the kinds.
const (
	Container = "container"
	Network   = "network"
	Pod       = "pod"
	Secret    = "secret"
	Volume    = "volume"
)

// Kinds lists the schemas of all kinds, without I/O. Each call gives a fresh list.
func Kinds() []resource.Kind {
	return []resource.Kind{ContainerKind(), NetworkKind(), PodKind(), SecretKind(), VolumeKind()}
}

const (
	// hostName is a name that Podman accepts, and DNS accepts as a label.
	hostName    = `[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}`
	hostNameDoc = "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 63 characters"
)

func bound(n int64) *int64 { return &n }

// fixed are attributes that Podman cannot change: a change replaces the resource.
func fixed(attrs []resource.Attribute) []resource.Attribute {
	for i := range attrs {
		attrs[i].Effect = resource.Replace
	}
	return attrs
}

// recordedLabels are the labels of resources that cannot be created again without a loss: a volume loses
// its data, a network its connections.
func recordedLabels(what string) resource.Attribute {
	a := labelsAttr(what)
	a.Effect, a.Recorded = resource.InPlace, true
	a.Doc = "Labels of the " + what + ", set when it is created. Podman cannot change labels afterwards: a change is " +
		"recorded alone, and replaces nothing."
	return a
}

func labelsAttr(what string) resource.Attribute {
	return resource.Attribute{
		Name: "labels", Type: resource.TMap, Effect: resource.Replace, Valid: labelKeys,
		Example: "{team: shop}", Doc: "Labels of the " + what + ". Podman cannot change labels afterwards.",
	}
}

// OwnVolumes is the attribute with the names of the volumes that Podman made for a container, by path: an image can
// say that a path is a volume. Podman then makes a volume without a name of the user's for each container, so a
// container that replaces another would start without its data.
const OwnVolumes = "own_volumes"

// PathIn reports whether a path is an attribute or inside of it.
func PathIn(path, attribute string) bool {
	return path == attribute || strings.HasPrefix(path, attribute+".")
}
