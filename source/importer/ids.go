package importer

import (
	"bytes"
	"fmt"
	"strings"
)

// Identity is a line of a file of IDs: what to adopt under which name.
type Identity struct {
	Name string // KIND/NAME in the configuration
	ID   string
	Line int
}

// IDs writes the file of IDs that `ovi adopt --ids` reads.
func IDs(items []Item) []byte {
	all := make([]Identity, 0, len(items))
	for _, i := range items {
		all = append(all, Identity{Name: i.Ref().Short(), ID: i.Resource.ID})
	}
	return Lines(all)
}

// Lines writes identities as a file of IDs.
func Lines(all []Identity) []byte {
	var b bytes.Buffer
	b.WriteString("# What `ovi adopt --ids` adopts: the name in the configuration, and the ID.\n")
	for _, i := range all {
		fmt.Fprintf(&b, "%s %s\n", i.Name, i.ID)
	}
	return b.Bytes()
}

// LineError is a line of a file of IDs that cannot be read.
type LineError struct {
	Line int
	Text string
}

// Error says what is wrong.
func (e *LineError) Error() string {
	return fmt.Sprintf("line %d is not a name and an ID: %q", e.Line, e.Text)
}

// ParseIDs reads a file of IDs. Empty lines and lines that start with # have no meaning. Errors are a *LineError.
func ParseIDs(text string) ([]Identity, error) {
	var out []Identity
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexAny(line, " \t") // a name may have spaces
		if i < 0 {
			return nil, &LineError{n, line}
		}
		out = append(out, Identity{strings.TrimSpace(line[:i]), line[i+1:], n})
	}
	return out, nil
}
