package settings

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/identify"
	"github.com/ovi-project/ovi/source"
)

const identifier = "identifier"

// nameHere is identify.NameHere as people write it. A $ before it makes it literal.
var nameHere = regexp.MustCompile(`(^|[^$])\$\{\s*name\s*\}`)

func keptName(text string) string {
	return nameHere.ReplaceAllString(text, "$1$$$$"+identify.NameHere[1:])
}

// KeepName returns the options of a stack with ${name} as a literal text in the identifier, so that it stays when the
// expressions are evaluated. It does not change other keys of a file.
func KeepName(key string, n *source.Node) *source.Node {
	if key != "options" || n.Shape != source.Object {
		return n
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if v := &n.Kids[i+1]; n.Kids[i].Text == identifier && v.Shape == source.Scalar && v.Parts == nil {
			out := *n
			out.Kids = slices.Clone(n.Kids)
			out.Kids[i+1].Text = keptName(v.Text)
			return &out
		}
	}
	return n
}

func (d *Setter) readIdentifier(n *source.Node) {
	kept := *n
	if kept.Parts == nil {
		kept.Text = keptName(kept.Text)
	}
	s, ok := d.Text(&kept, identifier)
	switch {
	case !ok:
	case !strings.Contains(s, identify.NameHere):
		d.Wrong(n, "the identifier has no "+identify.NameHere+", so all resources would have one name",
			"for example, identifier: \"${environment}-"+identify.NameHere+"\"")
	case d.setOnce(identifier, n, s == d.Settings.Identifier):
		d.Settings.Identifier = s
	}
}
