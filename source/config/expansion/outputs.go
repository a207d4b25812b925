package expansion

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// OutputsOf returns the outputs of a stack as keys of a configuration, with whole names in references: what is printed
// has no location of its own.
func OutputsOf(all resource.Attrs) []Key {
	out := make([]Key, len(all))
	for i, a := range all {
		out[i] = Key{Name: a.Name, Value: output(a.Value)}
	}
	return out
}

func output(v resource.Value) Value {
	switch v := v.(type) {
	case resource.List:
		out := Value{IsList: true}
		for _, x := range v {
			out.List = append(out.List, output(x))
		}
		return out
	case resource.Attrs:
		return Value{IsMap: true, Map: OutputsOf(v)}
	case resource.Text:
		text := ""
		for _, x := range v {
			text += output(x).Text
		}
		return Value{Text: text}
	case resource.Reference:
		return Value{Text: reference(v)}
	case resource.String:
		return Value{Text: strings.ReplaceAll(string(v), "${", "$${")}
	}
	return Value{Text: string(outputs.Plain(v)), Plain: true}
}

// reference writes a reference as a configuration does.
func reference(r resource.Reference) string {
	text := r.String()
	if !outputs.IsRef(r.Ref) {
		text = r.Ref.Provider + "/" + r.Ref.Location + "/" + text
	}
	return "${" + text + "}"
}
