package podman

import (
	"maps"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// labelPrefix starts the labels that are ovi's own. Labels are written in the call that creates
// something and cannot change afterwards. They prove nothing: anyone can write them.
const (
	labelPrefix  = "ovi/"
	labelRef     = "ovi/ref"
	labelStack   = "ovi/stack"
	labelOwner   = "ovi/owner"
	labelKey     = "ovi/key" // the idempotency key of its creation
	labelBlessed = "ovi/blessed"
	labelSpec    = "ovi/spec"       // its attributes at creation, secrets as keyed digests
	labelParts   = "ovi/parts"      // of a secret: the IDs of its parts by key
	labelPartOf  = "ovi/part"       // of such a part: the key of the creation of the whole
	labelEnv     = "ovi/secret-env" // of a container: the IDs of secrets by variable
	labelRestart = "ovi/restart"    // of a container in a pod: the restart policy of the pod
	labelSources = "ovi/sources"    // of a container: the paths of the host at its mount paths
	labelHost    = "ovi/host"       // of the volume ovi-host: the location
)

// Labels of the design of charts, on everything that is created. A configuration may set them.
const (
	labelChart     = "cutepod.io/chart"
	labelManagedBy = "cutepod.io/managed-by"
	managedBy      = "ovi"
)

// birthLabels are all labels that something is created with.
func birthLabels(r provider.Request) map[string]string {
	out := map[string]string{labelChart: r.Desired.Ref.Stack, labelManagedBy: managedBy}
	maps.Copy(out, r.Desired.Attrs.TextMap("labels"))
	out[labelRef], out[labelStack], out[labelOwner], out[labelKey] = r.Desired.Ref.Bare().String(), r.Desired.Ref.Stack, r.Owner, r.Key
	if r.Desired.Owner != "" {
		out[labelOwner] = r.Desired.Owner
	}
	if r.Desired.Blessed {
		out[labelBlessed] = "true"
	}
	out[labelSpec] = string(r.Desired.Attrs.AppendJSON(nil))
	return out
}

// labeled reports whether labels name a resource.
func labeled(labels map[string]string, ref resource.Ref) bool {
	return labels[labelRef] == ref.Bare().String() && labels[labelStack] == ref.Stack
}

// identify reports the natural name of a resource and the marks that its labels make. Labels that
// name no resource of this kind on this host are no marks.
func identify(o *resource.Observed, scope resource.Scope, kind, name string, labels map[string]string) {
	o.Ref = resource.Ref{Provider: scope.Provider, Location: scope.Location, Kind: kind, Name: name}
	ref, err := resource.ParseRef(labels[labelRef])
	if err != nil || ref.Stack != "" || ref.Scope() != scope || ref.Kind != kind {
		return
	}
	o.Marks = resource.Marks{
		Ref: ref.In(labels[labelStack]), Owner: labels[labelOwner], Key: labels[labelKey], Blessed: labels[labelBlessed] == "true",
	}
}

// applied are the attributes that something was created with; false if its labels do not tell.
func applied(labels map[string]string) (resource.Attrs, bool) {
	text, ok := labels[labelSpec]
	if !ok {
		return nil, false
	}
	var out resource.Attrs
	if out.UnmarshalJSON([]byte(text)) != nil {
		return nil, false
	}
	return out, true
}

// userLabels are the labels that are compared: those configured at creation as they are now, and
// others that are neither ovi's, nor the image's, nor written by ovi without being configured.
func userLabels(labels, image map[string]string, configured resource.Attrs) resource.Value {
	out := map[string]resource.Value{}
	for k, v := range labels {
		_, set := configured.Get(k)
		own := strings.HasPrefix(k, labelPrefix) || k == labelManagedBy || k == labelChart
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
