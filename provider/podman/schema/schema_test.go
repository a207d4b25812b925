package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

func TestKindsCompile(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		if _, err := resource.NewChecker(k); err != nil {
			t.Error(err)
		}
	}
}

// TestOneMeaningHasOneForm: what means the same is the same once checked, so that writing it in
// another way changes nothing.
func TestOneMeaningHasOneForm(t *testing.T) {
	t.Parallel()
	volume := resource.Reference{Ref: resource.Ref{Provider: Name, Location: "here", Kind: Volume, Name: "data"}}
	for name, c := range map[string]struct {
		kind     resource.Kind
		one, two values
	}{
		"a tag is assumed": {ContainerKind(), values{"image": text("nginx")}, values{"image": text("nginx:latest")}},
		"units of memory": {
			ContainerKind(),
			values{"image": text("a:1"), "resources": object(values{"limits": object(values{"memory": text("1024Mi")})})},
			values{"image": text("a:1"), "resources": object(values{"limits": object(values{"memory": text("1Gi")})})},
		},
		"units of CPU": {
			ContainerKind(),
			values{"image": text("a:1"), "resources": object(values{"limits": object(values{"cpu": text("0.5")})})},
			values{"image": text("a:1"), "resources": object(values{"limits": object(values{"cpu": text("500m")})})},
		},
		"words of Kubernetes": {
			ContainerKind(),
			values{"image": text("a:1"), "restart_policy": text("OnFailure")},
			values{"image": text("a:1"), "restart_policy": text("on-failure")},
		},
		"all addresses": {
			ContainerKind(),
			values{
				"image": text("a:1"),
				"ports": resource.List{
					object(values{"container_port": resource.Int(80), "host_ip": text("0.0.0.0"), "protocol": text("TCP")}),
				},
			},
			values{"image": text("a:1"), "ports": resource.List{object(values{"container_port": resource.Int(80)})}},
		},
		"names of capabilities": {
			ContainerKind(),
			values{
				"image":            text("a:1"),
				"security_context": object(values{"capabilities": object(values{"drop": texts("cap_chown", "KILL")})}),
			},
			values{
				"image":            text("a:1"),
				"security_context": object(values{"capabilities": object(values{"drop": texts("KILL", "CHOWN")})}),
			},
		},
		"the type of a check": {
			ContainerKind(),
			values{"image": text("a:1"), "health": object(values{"command": texts("true")})},
			values{"image": text("a:1"), "health": object(values{"type": text("exec"), "command": texts("true")})},
		},
		"two names of a path": {
			ContainerKind(),
			values{
				"image": text("a:1"), "volumes": resource.List{object(values{"name": volume, "container_path": text("/d/")})},
			},
			values{
				"image":   text("a:1"),
				"volumes": resource.List{object(values{"name": volume, "mount_path": text("/d"), "sub_path": text(".")})},
			},
		},
		"empty lists": {
			ContainerKind(),
			values{
				"image": text("a:1"), "command": resource.List{}, "networks": resource.List{}, "env": object(nil),
				"resources": object(values{"limits": object(nil)}),
			},
			values{"image": text("a:1")},
		},
		"bits behind the mask": {NetworkKind(), values{"subnet": text("10.1.2.3/16")}, values{"subnet": text("10.1.0.0/16")}},
		"a volume's driver":    {VolumeKind(), values{"volume": object(values{"driver": text("local")})}, values{}},
		"a path of the host": {
			VolumeKind(),
			values{"host_path": object(values{"path": text("/srv/")})},
			values{"type": text("bind"), "host_path": object(values{"path": text("/srv")})},
		},
		"the type of a secret": {
			SecretKind(),
			values{"type": text("Opaque"), "data": object(values{"a": resource.NewSecret("x", "y")})},
			values{"data": object(values{"a": resource.NewSecret("x", "y")})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, p1 := resource.Check(c.kind, object(c.one))
			two, p2 := resource.Check(c.kind, object(c.two))
			if len(p1)+len(p2) > 0 {
				t.Fatalf("%v, %v", p1, p2)
			}
			if d := cmp.Diff(string(resource.AppendJSON(nil, two)), string(resource.AppendJSON(nil, one))); d != "" {
				t.Errorf("(-second +first):\n%s", d)
			}
		})
	}
}
