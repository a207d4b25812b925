package decider

import "github.com/ovi-project/ovi/resource"

// joined lists names: "a, b and c".
func joined(names []string) string {
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}

// HoldText names an exclusive thing: "port 80/tcp of 127.0.0.1/32".
func HoldText(h resource.Hold) string {
	text := h.What
	if h.Name != "" {
		text += " " + h.Name
	}
	switch {
	case h.Range.IsValid() && h.Name != "":
		text += " of " + h.Range.String()
	case h.Range.IsValid():
		text += " " + h.Range.String()
	}
	return text
}
