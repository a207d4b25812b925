// Package podman runs containers, networks, volumes, secrets and pods on Podman 4.3 and later.
// It speaks Podman's own REST API with a thin client of its own (package libpod), and holds no
// state: what it needs to know later is in labels of what it creates.
//
// The attributes are named as the fields of a chart's manifests, in snake case (mountPath is
// mount_path). A source that reads manifests converts what is not an attribute here:
//
//   - metadata.labels is the attribute labels; a chart adds cutepod.io/chart and
//     cutepod.io/version to it, and "labels.cutepod.io/version" to Ignore, so that a new version
//     changes nothing.
//   - env as a list of {name, value} is the map env; envFile adds to it what env does not set.
//   - hostPath as a string is {path: …}.
//   - containers of a pod set pod on each container named there.
//   - data of a secret is base64; here it is the secret itself.
//   - a name on the host with a namespace is the name of the resource, and network_aliases holds
//     the name without it.
//   - ${container/db} in a string is the alias of db, so that replacing db changes no string.
package podman
