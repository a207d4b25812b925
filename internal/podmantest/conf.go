package podmantest

import (
	"os"
	"strings"
	"testing"
)

// The files of a host. Limits are those that root has without CAP_SYS_RESOURCE, and nothing
// depends on systemd or on the version of cgroups. Locks are files, because those in shared memory
// are one table for all Podmans of a machine, which each empties at its first start.
const (
	containersConf = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[network]
network_backend = "netavark"
network_config_dir = "DIR/networks"
default_network = "NETWORK"
default_subnet = "10.SECOND.255.0/24"
default_subnet_pools = [{"base" = "10.SECOND.0.0/17", "size" = 24}]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
static_dir = "DIR/graph/libpod"
tmp_dir = "DIR/tmp"
volume_path = "DIR/volumes"
`
	// overrideConf is for a Podman that is not the machine's own: it uses the helpers of that one, and
	// is built without seccomp.
	overrideConf = `[containers]
seccomp_profile = "unconfined"
[network]
firewall_driver = "iptables"
[engine]
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman"]
`
	storageConf = `[storage]
driver = "overlay"
graphroot = "DIR/graph"
runroot = "DIR/run"
`
	registriesConf = `unqualified-search-registries = ["REGISTRY"]
short-name-mode = "disabled"
[[registry]]
location = "REGISTRY"
insecure = true
`
)

func (h *Host) configure(t testing.TB) {
	t.Helper()
	fill := strings.NewReplacer("DIR", h.Dir, "NETWORK", h.network(), "SECOND", itoa(128+h.slot.n), "REGISTRY", h.Registry)
	for name, content := range map[string]string{
		"containers.conf": containersConf, "override.conf": overrideConf, "storage.conf": storageConf,
		"registries.conf": registriesConf,
	} {
		if err := os.WriteFile(h.file(name), []byte(fill.Replace(content)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
