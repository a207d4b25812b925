package node

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// Bounds limit the orders of an orchestrator, even if it was taken over. The operator of the node sets them. A nil
// field sets no bound, and an empty one allows nothing. Mounts, devices, namespaces of the host, users and privileges
// need no bound: link.Spec has no field for them.
type Bounds struct {
	Images  []Images
	Ports   []Ports
	Secrets []string // names of secrets of the node
}

// Images is an image without a tag and a digest, or all images below a path.
type Images struct {
	name string
	tree bool // name ends with a slash
}

// Ports are ports of the host, both ends included.
type Ports struct{ From, To int64 }

// BoundNone allows nothing where a bound is given.
const BoundNone = "none"

// pathForm matches an image without a tag and a digest. A pattern that named a part of a host would allow the images of
// others: registry.example* is registry.example.evil.test, too.
var pathForm = regexp.MustCompile(`^[a-z0-9]+([._-]+[a-z0-9]+)*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)

// ParseBounds reads bounds as an operator writes them: images such as "registry.example.com/shop/web" and
// "registry.example.com/shop/*", ports such as "8080" and "8000-8999", and names of secrets. A list with the one word
// "none" allows nothing; an empty list sets no bound.
func ParseBounds(images, ports, secrets []string) (Bounds, error) {
	var b Bounds
	for flag, all := range map[string][]string{"image": images, "port": ports, "secret": secrets} {
		if len(all) > 1 && slices.Contains(all, BoundNone) {
			return b, fmt.Errorf("--allow-%s %s allows nothing, and another one is given", flag, BoundNone)
		}
	}
	for _, text := range given(images, &b.Images) {
		name, tree := strings.CutSuffix(text, "/*")
		if !pathForm.MatchString(name) {
			return b, fmt.Errorf("--allow-image %q: write an image with its registry and without a tag, or end it with /*", text)
		}
		if tree {
			name += "/"
		}
		b.Images = append(b.Images, Images{name, tree})
	}
	for _, text := range given(ports, &b.Ports) {
		first, last, is := strings.Cut(text, "-")
		if !is {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 16)
		to, err2 := strconv.ParseUint(last, 10, 16)
		if err != nil || err2 != nil || from == 0 || from > to {
			return b, fmt.Errorf("--allow-port %q: write a port from 1 to 65535, or a range such as 8000-8999", text)
		}
		b.Ports = append(b.Ports, Ports{int64(from), int64(to)})
	}
	for _, text := range given(secrets, &b.Secrets) {
		if text == "" || strings.ContainsAny(text, "/, \t\n") {
			return b, fmt.Errorf("--allow-secret %q: write the name of a secret", text)
		}
		b.Secrets = append(b.Secrets, text)
	}
	return b, nil
}

// given returns what a list allows. It makes the bound, which is empty for "none".
func given[T any](all []string, bound *[]T) []string {
	if len(all) == 0 {
		return nil
	}
	*bound = []T{}
	if all[0] == BoundNone {
		return nil
	}
	return all
}

// String describes the bounds in a line; it is "" where there is none.
func (b Bounds) String() string {
	var parts []string
	if b.Images != nil {
		parts = append(parts, "images "+listed(b.Images))
	}
	if b.Ports != nil {
		parts = append(parts, "ports "+listed(b.Ports))
	}
	if b.Secrets != nil {
		parts = append(parts, "secrets "+listed(b.Secrets))
	}
	return strings.Join(parts, "; ")
}

func listed[T any](all []T) string {
	if len(all) == 0 {
		return BoundNone
	}
	var texts []string
	for _, x := range all {
		texts = append(texts, fmt.Sprint(x))
	}
	return strings.Join(texts, ", ")
}

func (i Images) String() string {
	if i.tree {
		return i.name + "*"
	}
	return i.name
}

func (p Ports) String() string {
	if p.From == p.To {
		return strconv.FormatInt(p.From, 10)
	}
	return fmt.Sprintf("%d-%d", p.From, p.To)
}

// refuse returns why a node does not run a deployment; nil means that it may. The error is a denial: it lasts until the
// operator of the node allows more, and uses up no attempt.
func (b Bounds) refuse(s link.Spec) error {
	var why []string
	if b.Images != nil && !slices.ContainsFunc(b.Images, func(i Images) bool { return i.has(s.Image) }) {
		why = append(why, beyond("the image "+s.Image, "image", listed(b.Images)))
	}
	for _, p := range s.Ports {
		allowed := func(in Ports) bool { return in.From <= p.Host && p.Host <= in.To }
		if b.Ports != nil && !slices.ContainsFunc(b.Ports, allowed) {
			why = append(why, beyond(fmt.Sprintf("port %d", p.Host), "port", listed(b.Ports)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Secrets)) {
		if b.Secrets != nil && !slices.Contains(b.Secrets, name) {
			why = append(why, beyond("the secret "+name, "secret", listed(b.Secrets)))
		}
	}
	if len(why) == 0 {
		return nil
	}
	return &provider.Error{
		Cause: provider.Denied, Err: errors.New(strings.Join(why, "; ")),
		Hint: "let the operator of the node allow it, or change the deployment",
	}
}

func beyond(what, flag, allowed string) string {
	return fmt.Sprintf("%s is not allowed on this node (--allow-%s %s)", what, flag, allowed)
}

// has reports whether an image is allowed. The name is compared literally: a short name, which Podman looks up in
// registries of its own, belongs to no registry.
func (i Images) has(image string) bool {
	name, _, _ := strings.Cut(image, "@")
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name = name[:at]
	}
	if i.tree {
		return strings.HasPrefix(name, i.name) && pathForm.MatchString(name)
	}
	return name == i.name
}
