// Package marks writes and reads the labels that ovi sets on what it creates: the marks of its owner, and the
// attributes at creation, which Podman itself does not tell. Labels prove nothing: anyone can write them.
package marks

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// labelPrefix starts the labels that are ovi's own. Labels are written in the call that creates
// something and cannot change afterwards. They prove nothing: anyone can write them.
const (
	LabelPrefix  = "ovi/"
	LabelRef     = "ovi/ref"
	LabelStack   = "ovi/stack"
	labelOwner   = "ovi/owner"
	LabelKey     = "ovi/key" // the idempotency key of its creation
	labelBlessed = "ovi/blessed"
	LabelSpec    = "ovi/spec"       // its attributes at creation, secrets as keyed digests
	LabelParts   = "ovi/parts"      // of a secret: the IDs of its parts by key
	LabelPartOf  = "ovi/part"       // of such a part: the key of the creation of the whole
	LabelEnv     = "ovi/secret-env" // of a container: the IDs of secrets by variable
	LabelRestart = "ovi/restart"    // of a container in a pod: the restart policy of the pod
	LabelSources = "ovi/sources"    // of a container: the paths of the host at its mount paths
	LabelHost    = "ovi/host"       // of the volume ovi-host: the location
)

// Labels of the design of charts, on everything that is created. A configuration may set them.
const (
	labelChart     = "cutepod.io/chart"
	LabelManagedBy = "cutepod.io/managed-by"
	ManagedBy      = "ovi"
)

// BirthLabels are all labels that something is created with.
func BirthLabels(r provider.Request) map[string]string {
	out := map[string]string{labelChart: r.Desired.Ref.Stack, LabelManagedBy: ManagedBy}
	maps.Copy(out, r.Desired.Attrs.TextMap("labels"))
	out[LabelRef], out[LabelStack] = r.Desired.Ref.Bare().String(), r.Desired.Ref.Stack
	out[labelOwner], out[LabelKey] = r.Owner, r.Key
	if r.Desired.Owner != "" {
		out[labelOwner] = r.Desired.Owner
	}
	if r.Desired.Blessed {
		out[labelBlessed] = "true"
	}
	out[LabelSpec] = string(r.Desired.Attrs.AppendJSON(nil))
	return out
}

// Labeled reports whether labels name a resource.
func Labeled(labels map[string]string, ref resource.Ref) bool {
	return labels[LabelRef] == ref.Bare().String() && labels[LabelStack] == ref.Stack
}

// Identify reports the natural name of a resource and the marks that its labels make. Labels that
// name no resource of this kind on this host are no marks.
func Identify(o *resource.Observed, scope resource.Scope, kind, name string, labels map[string]string) {
	o.Ref = resource.Ref{Provider: scope.Provider, Location: scope.Location, Kind: kind, Name: name}
	ref, err := resource.ParseRef(labels[LabelRef])
	if err != nil || ref.Stack != "" || ref.Scope() != scope || ref.Kind != kind {
		return
	}
	o.Marks = resource.Marks{
		Ref: ref.In(labels[LabelStack]), Owner: labels[labelOwner], Key: labels[LabelKey],
		Blessed: labels[labelBlessed] == "true",
	}
}

// Applied are the attributes that something was created with; false if its labels do not tell.
func Applied(labels map[string]string) (resource.Attrs, bool) {
	text, ok := labels[LabelSpec]
	if !ok {
		return nil, false
	}
	var out resource.Attrs
	if out.UnmarshalJSON([]byte(text)) != nil {
		return nil, false
	}
	return out, true
}

// UserLabels are the labels that are compared: those configured at creation as they are now, and
// others that are neither ovi's, nor the image's, nor written by ovi without being configured.
func UserLabels(labels, image map[string]string, configured resource.Attrs) resource.Value {
	out := map[string]resource.Value{}
	for k, v := range labels {
		_, set := configured.Get(k)
		own := strings.HasPrefix(k, LabelPrefix) || k == LabelManagedBy || k == labelChart
		inherited, isImage := image[k]
		if set || !own && (!isImage || inherited != v) {
			out[k] = resource.String(v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}

// MadeBy reports that a resource was made by an earlier attempt of a create.
func MadeBy(labels map[string]string, key string) bool { return key != "" && labels[LabelKey] == key }

// SourcesOf returns the paths of the host that a container mounts, by mount path; nil if no label tells.
func SourcesOf(labels map[string]string) map[string]string {
	var out map[string]string
	if json.Unmarshal([]byte(labels[LabelSources]), &out) != nil {
		return nil
	}
	return out
}

// SecretEnv are the IDs of the secrets that a container has as variables.
func SecretEnv(labels map[string]string) (out map[string]string) {
	_ = json.Unmarshal([]byte(labels[LabelEnv]), &out) // not made by ovi: none
	return out
}

// SecretName is the name of a secret in its configuration.
func SecretName(s libpod.Secret) string {
	if ref, err := resource.ParseRef(s.Spec.Labels[LabelRef]); err == nil {
		return ref.Name
	}
	return s.Spec.Name
}

// PartsOf are the IDs of the parts of a secret, by key; nil if it has one key.
func PartsOf(labels map[string]string) map[string]string {
	var out map[string]string
	if json.Unmarshal([]byte(labels[LabelParts]), &out) != nil {
		return nil
	}
	return out
}
