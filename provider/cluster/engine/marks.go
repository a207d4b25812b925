package engine

import (
	"encoding/base64"
	"path"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	// marksLabel is the label of the marks on a server of k3d.
	marksLabel = "ovi.marks"
	// marksFolder is where a node of kind has a mount whose path holds the marks.
	marksFolder = "/ovi.marks/"
	// segment is how long a part of that path may be.
	segment = 200
	// completeFile is in the first node of a cluster whose creation was finished.
	completeFile = "/.ovi-created"
)

// birthMarks are the marks of a new cluster, in letters that labels and paths may have.
func birthMarks(r provider.Request) (string, error) {
	b, err := system.MarksText(r, r.Key)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// marksPath is the path of a mount that holds marks.
func marksPath(text string) string {
	out := marksFolder
	for len(text) > segment {
		out, text = path.Join(out, text[:segment]), text[segment:]
	}
	return path.Join(out, text)
}

// marksOf reads the marks on a container. What names no cluster of this scope is no mark.
func marksOf(c *docker.Container, scope resource.Scope) resource.Marks {
	text := c.Config.Labels[marksLabel]
	for _, m := range c.Mounts {
		if rest, ok := strings.CutPrefix(m.Destination, marksFolder); ok {
			text = strings.ReplaceAll(rest, "/", "")
		}
	}
	return decodeMarks(text, scope)
}

// decodeMarks reads the marks of a cluster, in the letters of birthMarks.
func decodeMarks(text string, scope resource.Scope) (out resource.Marks) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return out
	}
	return system.ParseMarks(b, scope, system.KindCluster)
}
