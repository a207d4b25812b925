package command

import (
	"slices"
	"strings"
)

// Chosen returns the variables of an environment that another program gets: how to find programs, servers and engines,
// and those that more names. All others, ovi's own and the credentials of other providers among them, stay with ovi.
func Chosen(environ []string, more ...string) []string {
	var out []string
	names := append([]string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "TERM",
		"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "KUBECONFIG",
	}, more...)
	prefixes := []string{"LC_", "XDG_", "DOCKER_", "CONTAINER_", "CONTAINERS_", "KIND_", "K3D_"}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		known := slices.Contains(names, name) ||
			slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		if known && name != "DOCKER_AUTH_CONFIG" || slices.Contains(more, name) {
			out = append(out, kv)
		}
	}
	return out
}
