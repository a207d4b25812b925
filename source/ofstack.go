package source

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// stackForm matches the text of a reference to an output: STACK.OUTPUT, and keys below it.
var stackForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\.[A-Za-z_][^/]*$`)

// ofStack reads the text of a reference to an output of another stack.
func ofStack(text string) (ref resource.Reference, summary, suggestion string) {
	const example = "use ${stack/STACK.OUTPUT}"
	switch {
	case strings.HasSuffix(text, "?"):
		return ref, "an output of another stack is not optional: ${stack/" + text + "}",
			"remove the ?, and apply that stack first"
	case !strings.Contains(text, ".") && !strings.Contains(text, "/"):
		return ref, "${stack/" + text + "} names a stack, and an output is needed", "use ${stack/" + text + ".OUTPUT}"
	case !stackForm.MatchString(text):
		return ref, "invalid reference " + Quote("${stack/"+text+"}"), example
	}
	return outputs.Refer(text), "", ""
}
