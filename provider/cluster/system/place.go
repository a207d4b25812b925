package system

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Finding returns a problem of a configured resource.
func Finding(d *resource.Desired, path, summary, suggestion string) resource.Finding {
	return resource.Finding{Ref: d.Ref, Problem: resource.Problem{Path: path, Summary: summary, Suggestion: suggestion}}
}

// Local is the word of a configuration for the engine that is found by itself.
const Local = "local"

// Separator separates an engine and a cluster on it in the location of what is in the cluster.
const Separator = "#"

// Inside is the scope that a cluster opens.
func Inside(cluster resource.Ref) resource.Scope {
	return resource.Scope{Provider: cluster.Provider, Location: cluster.Location + Separator + cluster.Name}
}

const (
	// Management is the word for the management cluster of the options.
	Management = "management"
	// InContext starts the location of what is in a cluster of the user's kubeconfig.
	InContext = "context:"
)

// Area is the system that a location is in.
type Area string

// The areas.
const (
	OnEngine    Area = "engine"
	InCluster   Area = "cluster"
	OnHAProxy   Area = "haproxy"
	OnPortainer Area = "portainer"
	OnGit       Area = "git"
)

// AreaOf tells the area of a location, resolved or not.
func AreaOf(location string) Area {
	word, _, _ := strings.Cut(location, ":")
	switch {
	case word == string(OnHAProxy), word == string(OnPortainer), word == string(OnGit):
		return Area(word)
	case location == Management || strings.HasPrefix(location, InContext) || strings.Contains(location, Separator):
		return InCluster
	}
	return OnEngine
}

// Misplaced are the findings of resources that are configured in another area than that of their kind.
func Misplaced(configured []*resource.Desired, in Area, summary, suggestion string) (out []resource.Finding) {
	for _, d := range configured {
		if AreaOf(d.Ref.Location) != in {
			out = append(out, Finding(d, "region", summary, suggestion))
		}
	}
	return out
}
