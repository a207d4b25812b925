package edge

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Name is the name of the provider.
const Name = "edge"

// Kind is its only kind.
const Kind = "deployment"

// grace is how long a deployment may take: its image is pulled over a slow link.
const grace = 30 * time.Minute

// Kinds lists the schemas.
func Kinds() []resource.Kind {
	bound := func(n int64) *int64 { return &n }
	texts := &resource.Attribute{Type: resource.TString}
	seconds := func(name, doc string, least, normal int64) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TInt, Min: bound(least), Max: bound(86400), Unit: "s",
			HarmlessDefault: true, Default: resource.Int(normal), Doc: doc, Example: "10",
		}
	}
	port := func(name, doc string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Doc: doc,
			Example: "80",
		}
	}
	return []resource.Kind{{
		Provider: Name, Name: Kind,
		Doc: "A container on a node of a site.\n\nAn update starts the new version next to the old one. The old " +
			"version is kept until the new one is healthy, and serves again if the new one fails.",
		NamePattern: `[a-z0-9][a-z0-9-]{0,39}`, NameDoc: "use lower-case letters, digits and '-', at most 40",
		NoTags: true, Carrier: resource.AtCreate, Exact: true, Async: true, Supersede: true, State: resource.StateRunning,
		Grace: grace, Holds: holds, HoldsDoc: "its name on the node; its host ports of the node, while it runs",
		Attrs: []resource.Attribute{
			{
				Name: "version", Type: resource.TString, Required: true, Effect: resource.Restart, Pattern: `[^\s]{1,100}`,
				Example: "1.4.2", Doc: "The version, for users.",
			},
			{
				Name: "image", Type: resource.TString, Required: true, Effect: resource.Restart, Pattern: `[^\s]+`,
				Example: "registry.example.com/web@sha256:3f9a…", Doc: "The image.",
			},
			{
				Name: "command", Type: resource.TList, Elem: texts, Effect: resource.Restart, Example: `["/bin/server"]`,
				Doc: "The program, instead of the image's entrypoint.",
			},
			{
				Name: "args", Type: resource.TList, Elem: texts, Effect: resource.Restart, Example: `["--port", "80"]`,
				Doc: "The program's arguments, instead of the image's.",
			},
			{
				Name: "env", Type: resource.TMap, Effect: resource.Restart, Example: "{LOG_LEVEL: info}",
				Doc: "Environment variables.",
			},
			{
				Name: "secrets", Type: resource.TMap, Effect: resource.Restart, Example: "{db-password: /run/secrets/db-password}",
				Valid: secretFiles,
				Doc:   "Secrets that its node has, by name, and the file in the container that holds each.",
			},
			{
				Name: "ports", Type: resource.TSet, Effect: resource.Restart, Example: "[{container: 80, host: 8080}]",
				Doc: "Ports of the container that the node publishes.",
				Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
					port("container", "The port inside the container."), port("host", "The port of the node."),
				}},
			},
			{
				Name: "health_check", Type: resource.TObject, Effect: resource.Restart, Example: `{command: [/bin/ready]}`,
				Doc: "When it is healthy. If omitted, while it runs.",
				Fields: []resource.Attribute{
					{
						Name: "command", Type: resource.TList, Elem: texts, Required: true, Min: bound(1), Example: "[/bin/ready]",
						Doc: "A command in the container that succeeds while it is healthy.",
					},
					seconds("interval", "The time between two checks.", 1, 10),
					seconds("timeout", "How long one check may take.", 1, 5),
					seconds("start_period", "How long failures do not count after the start.", 0, 0),
					{
						Name: "retries", Type: resource.TInt, Min: bound(1), Max: bound(1000), Default: resource.Int(3), Example: "3",
						Doc: "How many failures in a row make it unhealthy.",
					},
				},
			},
			{
				Name: "phase", Type: resource.TString, Computed: true,
				Doc: "How far it has got: pending, installing or installed.",
			},
			{Name: "image_id", Type: resource.TString, Computed: true, Doc: "The ID of the image that runs."},
		},
	}}
}

// holds: a deployment that is stopped publishes no port.
func holds(ref resource.Ref, a resource.Attrs, state resource.State) []resource.Hold {
	out := []resource.Hold{{What: "deployment", Name: ref.Name, Identity: true}}
	if state == resource.StateStopped {
		return out
	}
	for _, v := range a.List("ports") {
		p, _ := v.(resource.Attrs)
		if n, set := p.Int("host"); set {
			out = append(out, resource.Hold{What: "host port", Name: strconv.FormatInt(n, 10)})
		}
	}
	return out
}

// secretName is what Podman takes as the name of a secret.
var secretName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$`)

// secretFiles are names of secrets, each with a file of its own in the container.
func secretFiles(v resource.Value) (out []resource.Problem) {
	all, _ := v.(resource.Attrs)
	used := map[string]string{}
	for _, a := range all {
		file, isText := a.Value.(resource.String)
		at := string(file)
		switch {
		case !secretName.MatchString(a.Name):
			out = append(out, resource.Problem{
				Path: a.Name, Summary: fmt.Sprintf("%q is not the name of a secret", a.Name),
				Suggestion: "use letters, digits, '.', '_' and '-'",
			})
		case !isText || !strings.HasPrefix(at, "/") || path.Clean(at) != at || at == "/":
			out = append(out, resource.Problem{
				Path:       a.Name,
				Summary:    fmt.Sprintf("the file of secret %s must be an absolute path", a.Name),
				Suggestion: "for example, " + a.Name + ": /run/secrets/" + a.Name,
			})
		case used[at] != "":
			out = append(out, resource.Problem{
				Path:       a.Name,
				Summary:    fmt.Sprintf("secrets %s and %s have the same file %s", used[at], a.Name, at),
				Suggestion: "give each its own file",
			})
		}
		used[at] = a.Name
	}
	return out
}
