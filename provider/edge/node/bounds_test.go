package node

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// TestAnOrderIsBoundedByTheOperatorOfTheNode: by images, ports and secrets. Nothing that only looks like an allowed
// image is one.
func TestAnOrderIsBoundedByTheOperatorOfTheNode(t *testing.T) {
	b, err := ParseBounds([]string{"registry.example.com/shop/*", "registry.example.com:5000/db"}, []string{"80", "8000-8999"},
		[]string{"db"})
	if err != nil {
		t.Fatal(err)
	}
	image := func(s string) link.Spec { return link.Spec{Image: s} }
	port := func(p int64) link.Spec {
		return link.Spec{Image: "registry.example.com/shop/web", Ports: []link.Port{{Container: 1, Host: p}}}
	}
	secret := func(name string) link.Spec {
		return link.Spec{Image: "registry.example.com/shop/web", Secrets: map[string]string{name: "/run/x"}}
	}
	for _, s := range []link.Spec{
		image("registry.example.com/shop/web"), image("registry.example.com/shop/web:1"),
		image("registry.example.com/shop/a/b@sha256:" + strings.Repeat("0", 64)), image("registry.example.com:5000/db:2"),
		port(80), port(8000), port(8999), secret("db"),
	} {
		if err := b.refuse(s); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []link.Spec{
		image(""), image("web"), image("shop/web"), image("registry.example.com/shop"), image("registry.example.com/shop/"),
		image("registry.example.com/shopper/web"), image("registry.example.com.evil.test/shop/web"),
		image("registry.example.com/shop/../other/web"), image("registry.example.com/shop/%2e%2e/x"),
		image("docker://registry.example.com/shop/web"), image("dir:/registry.example.com/shop/web"),
		image("evil.test/registry.example.com/shop/web"), image("registry.example.com/shop/web x"),
		image("registry.example.com/shop/web\n"), image("REGISTRY.example.com/shop/web"),
		image("registry.example.com/db:2"), image("registry.example.com:5000/db/x"), image("registry.example.com:5001/db"),
		port(79), port(81), port(7999), port(9000), port(0), port(-1), secret("other"), secret(""), secret("DB"),
	} {
		if err := b.refuse(s); provider.CauseOf(err) != provider.Denied {
			t.Errorf("%+v is allowed: %v", s, err)
		}
	}
	if err := (Bounds{}).refuse(port(1)); err != nil {
		t.Errorf("without bounds: %v", err)
	}
	none, err := ParseBounds([]string{"none"}, []string{"none"}, []string{"none"})
	if err != nil || none.refuse(image("registry.example.com/shop/web")) == nil {
		t.Errorf("none allows an image (%v)", err)
	}
	if diff := cmp.Diff("images none; ports none; secrets none", none.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("images registry.example.com/shop/*, registry.example.com:5000/db; ports 80, 8000-8999; secrets db", b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestBoundsAreRefused: what an operator mistypes bounds nothing silently.
func TestBoundsAreRefused(t *testing.T) {
	for _, c := range []struct{ images, ports, secrets []string }{
		{images: []string{"registry.example*"}},
		{images: []string{"*"}},
		{images: []string{"/*"}},
		{images: []string{""}},
		{images: []string{"registry.example.com/web:1"}},
		{images: []string{"a b"}},
		{images: []string{"registry.example.com//*"}},
		{images: []string{"none", "registry.example.com/web"}},
		{ports: []string{"0"}},
		{ports: []string{"9-8"}},
		{ports: []string{"65536"}},
		{ports: []string{"80-"}},
		{ports: []string{"-80"}},
		{ports: []string{"http"}},
		{ports: []string{" 80"}},
		{ports: []string{""}},
		{ports: []string{"80", "none"}},
		{secrets: []string{"a b"}},
		{secrets: []string{"a/b"}},
		{secrets: []string{""}},
	} {
		if b, err := ParseBounds(c.images, c.ports, c.secrets); err == nil {
			t.Errorf("%q is accepted as %s", c, b)
		}
	}
}

// TestAnOrderCannotAskForMore: an order has no field for mounts, devices, namespaces of the host and privileges, and a
// container that is made for one sets none of them. Who adds a field decides how an operator bounds it.
func TestAnOrderCannotAskForMore(t *testing.T) {
	var fields []string
	for f := range reflect.TypeFor[link.Spec]().Fields() {
		fields = append(fields, f.Name)
	}
	if diff := cmp.Diff([]string{"Version", "Image", "Command", "Args", "Env", "Secrets", "Ports", "Check"}, fields); diff != "" {
		t.Errorf("fields of an order (-want +got):\n%s", diff)
	}
	r := &runtime{Options: Options{Site: "berlin", Node: "n1"}}
	all := r.attrs(task{to: link.Deployment{Name: "web", Spec: link.Spec{
		Version: "1", Image: "a", Command: []string{"b"}, Args: []string{"c"}, Env: map[string]string{"d": "e"},
		Secrets: map[string]string{"f": "/g"}, Ports: []link.Port{{Container: 1, Host: 2}}, Check: &link.Check{},
	}}})
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"args", "command", "env", "health", "image", "labels", "ports", "secrets"}, names); diff != "" {
		t.Errorf("attributes of the container (-want +got):\n%s", diff)
	}
}
