package byhand

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// site are the resources to which those of the tests refer.
func site(t *testing.T) func(resource.Ref) (resource.Desired, bool) {
	t.Helper()
	all := []resource.Desired{
		configured(t, schema.Volume, "data", nil),
		configured(t, schema.Pod, "jobs", values{"restart_policy": text("Always")}),
		configured(t, schema.Volume, "conf", values{"host_path": object(values{"path": text("/srv/conf")})}),
		configured(t, schema.Secret, "one", values{"data": object(values{"KEY": resource.NewSecret("plain-one", "d1")})}),
		configured(t, schema.Secret, "two",
			values{
				"data": object(values{
					"PASSWORD": resource.NewSecret("plain-two", "d2"), "USER": resource.NewSecret("plain-user", "d3"),
				}),
			}),
	}
	return func(r resource.Ref) (resource.Desired, bool) {
		i := slices.IndexFunc(all, func(d resource.Desired) bool { return d.Ref == r })
		if i < 0 {
			return resource.Desired{}, false
		}
		return all[i], true
	}
}

func wholeContainer(t *testing.T) resource.Desired {
	t.Helper()
	return configured(t, schema.Container, "web", values{
		"image": text("nginx:1.27"), "command": texts("/bin/serve", "-x"), "args": texts("80", "a b"),
		"env": object(values{
			"LEVEL": text("it's on"), "DB": resource.Text{text("tcp://"), to(schema.Container, "db"), text(":5432")},
		}),
		"working_dir": text("/srv"),
		"uid":         resource.Int(10), "gid": resource.Int(20),
		"networks":        resource.List{to(schema.Network, "back"), to(schema.Network, "front")},
		"network_aliases": texts("www"),
		"ports": resource.List{
			object(values{"container_port": resource.Int(80), "host_port": resource.Int(8080)}),
			object(values{"container_port": resource.Int(53), "host_ip": text("127.0.0.1"), "protocol": text("udp")}),
		},
		"volumes": resource.List{
			object(values{"name": to(schema.Volume, "data"), "mount_path": text("/data")}),
			object(values{
				"name": to(schema.Volume, "conf"), "mount_path": text("/etc/web"), "sub_path": text("web"),
				"read_only": resource.Bool(true),
			}),
		},
		"secrets": resource.List{
			object(values{"name": to(schema.Secret, "one"), "path": text("/etc/key")}),
			object(values{"name": to(schema.Secret, "two"), "env": resource.Bool(true)}),
		},
		"health": object(values{
			"command": texts("/bin/test", "-s", "/data/x"), "interval_seconds": resource.Int(5),
		}),
		"resources": object(values{
			"limits":   object(values{"cpu": text("500m"), "memory": text("512Mi")}),
			"requests": object(values{"cpu": text("1"), "memory": text("1Gi")}),
		}),
		"restart_policy":   text("unless-stopped"),
		"sysctl":           object(values{"net.core.somaxconn": text("512")}),
		"security_context": object(values{"capabilities": object(values{"add": texts("NET_ADMIN"), "drop": texts("KILL")})}),
		"labels": object(values{
			"team": text("shop"), "cutepod.io/chart": text("x"),
		}), "image_pull_policy": text("Always"),
	})
}

// TestByHand: each operation is written with the commands that do the same.
func TestByHand(t *testing.T) {
	t.Parallel()
	old := &resource.Observed{Ref: at(schema.Container, "web"), ID: "0123456789abcdef0123"}
	web := configured(t, schema.Container, "web", values{"image": text("nginx")})
	limited := configured(t, schema.Container, "web",
		values{"image": text("nginx"), "resources": object(values{"limits": object(values{"memory": text("1Gi")})})})
	startFirst := web
	startFirst.Replace = resource.StartFirst
	failing := &resource.Observed{Ref: at(schema.Container, "web"), ID: "0123", Health: resource.Failing}
	state := []resource.Change{{On: resource.OnState, Path: "state"}}
	filled := &resource.Observed{
		Ref: old.Ref, ID: old.ID, Attrs: object(values{schema.OwnVolumes: object(values{"/data": text("0a1b")})}),
	}
	for name, c := range map[string]struct {
		op   provider.Operation
		want []string
	}{
		"a network": {
			provider.Operation{Verb: provider.VerbCreate, Desired: configured(t, schema.Network, "web-network", nil)},
			[]string{"podman network create web-network --driver bridge"},
		},
		"its options": {
			provider.Operation{
				Verb: provider.VerbCreate,
				Desired: configured(t, schema.Network, "n",
					values{
						"subnet": text("10.9.0.0/24"), "gateway": text("10.9.0.1"), "options": object(values{"mtu": text("1400")}),
						"labels": object(values{"team": text("a b")}),
					}),
			},
			[]string{
				"podman network create n --driver bridge --subnet 10.9.0.0/24 --gateway 10.9.0.1 --opt mtu=1400 --label 'team=a b'",
			},
		},
		"a volume": {
			provider.Operation{Verb: provider.VerbCreate, Desired: configured(t, schema.Volume, "web-content", nil)},
			[]string{"podman volume create web-content"},
		},
		"in memory": {
			provider.Operation{
				Verb: provider.VerbCreate,
				Desired: configured(t, schema.Volume, "v",
					values{"empty_dir": object(values{"medium": text("Memory"), "size_limit": text("64Mi")})}),
			},
			[]string{"podman volume create v --opt device=tmpfs --opt o=nr_blocks=16384 --opt type=tmpfs"},
		},
		"a secret": {
			provider.Operation{
				Verb:    provider.VerbCreate,
				Desired: configured(t, schema.Secret, "s", values{"data": object(values{"a": resource.NewSecret("plain-a", "x")})}),
			},
			[]string{"podman secret create s -"},
		},
		"two values": {
			provider.Operation{
				Verb: provider.VerbCreate,
				Desired: configured(t, schema.Secret, "s",
					values{"data": object(values{"a": resource.NewSecret("plain-a", "x"), "b": resource.NewSecret("plain-b", "y")})}),
			},
			[]string{"podman secret create s.a -", "podman secret create s.b -"},
		},
		"a pod": {
			provider.Operation{
				Verb:    provider.VerbCreate,
				Desired: configured(t, schema.Pod, "jobs", values{"networks": resource.List{to(schema.Network, "back")}}),
			},
			[]string{"podman pod create --name jobs --network back", "podman pod start jobs"},
		},
		"a container": {
			provider.Operation{Verb: provider.VerbCreate, Desired: web}, []string{"podman run -d --name web nginx:latest"},
		},
		"all of a container": {provider.Operation{
			Verb: provider.VerbCreate, Desired: wholeContainer(t), Find: site(t),
		}, []string{
			"podman run -d --name web --network back --network front --network-alias www --publish 127.0.0.1::53/udp " +
				"--publish 8080:80" +
				" --volume data:/data --volume /srv/conf/web:/etc/web:ro" +
				" --secret one,type=mount,target=/etc/key,mode=0444 --secret two.PASSWORD,type=env,target=PASSWORD --secret " +
				"two.USER,type=env,target=USER" +
				` --env DB=tcp://db:5432 --env 'LEVEL=it'\''s on' --entrypoint '["/bin/serve","-x"]' --workdir /srv --user 10:20` +
				` --health-cmd '["/bin/test","-s","/data/x"]' --health-interval 5s --health-timeout 30s` +
				` --health-start-period 0s --health-retries 3` +
				" --cpus 0.5 --cpu-shares 1024 --memory 512m --memory-reservation 1g --restart unless-stopped --sysctl " +
				"net.core.somaxconn=512" +
				" --cap-add NET_ADMIN --cap-drop KILL --pull always --label team=shop nginx:1.27 80 'a b'",
		}},
		"in a pod": {
			provider.Operation{
				Verb: provider.VerbCreate, Find: site(t),
				Desired: configured(t, schema.Container, "web", values{"image": text("nginx"), "pod": to(schema.Pod, "jobs")}),
			},
			[]string{"podman run -d --name web --pod jobs --restart always nginx:latest"},
		},
		"set aside": {
			provider.Operation{Verb: provider.VerbSetAside, Desired: web, Have: old},
			[]string{"podman rename web web-old-0123456789ab"},
		},
		"the new one": {
			provider.Operation{Verb: provider.VerbCreate, Desired: web, Have: old, Beside: true},
			[]string{"podman create --name web nginx:latest"},
		},
		"with its volumes": {
			provider.Operation{Verb: provider.VerbCreate, Desired: web, Have: filled, Beside: true},
			[]string{"podman create --name web --volume 0a1b:/data nginx:latest"},
		},
		"switched": {
			provider.Operation{Verb: provider.VerbSwitch, Desired: web, Have: old, Beside: true},
			[]string{"podman stop web-old-0123456789ab", "podman start web"},
		},
		"started first": {
			provider.Operation{Verb: provider.VerbSwitch, Desired: startFirst, Have: old, Beside: true},
			[]string{"podman start web", "podman stop web-old-0123456789ab"},
		},
		"restored": {
			provider.Operation{Verb: provider.VerbRestore, Desired: web, Have: old, Beside: true},
			[]string{"podman rename web-old-0123456789ab web", "podman start web"},
		},
		"the old one": {
			provider.Operation{Verb: provider.VerbDelete, Desired: web, Have: old, Beside: true},
			[]string{"podman rm web-old-0123456789ab"},
		},
		"deleted": {
			provider.Operation{Verb: provider.VerbDelete, Desired: web, Have: old},
			[]string{"podman stop web", "podman rm web"},
		},
		"a deleted volume": {
			provider.Operation{Verb: provider.VerbDelete, Desired: configured(t, schema.Volume, "data", nil)},
			[]string{"podman volume rm data"},
		},
		"started": {
			provider.Operation{Verb: provider.VerbUpdate, Desired: web, Have: old, Changes: state},
			[]string{"podman start web"},
		},
		"restarted": {
			provider.Operation{Verb: provider.VerbUpdate, Desired: web, Have: failing, Changes: state},
			[]string{"podman restart web"},
		},
		"limited": {
			provider.Operation{
				Verb: provider.VerbUpdate, Desired: limited, Have: old,
				Changes: []resource.Change{{Path: "resources.limits.memory"}},
			},
			[]string{"podman update --memory 1g web"},
		},
		"connected": {provider.Operation{Verb: provider.VerbUpdate, Desired: web, Have: old, Changes: []resource.Change{
			{Path: "networks", From: texts("f00d"), To: resource.List{to(schema.Network, "back")}},
		}}, []string{"podman network connect back web", "podman network disconnect f00d web"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Commands(c.op)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(strings.Join(got, "\n"), "plain-") {
				t.Errorf("a command shows the value of a secret: %q", got)
			}
		})
	}
}
