package source

import (
	"strings"
)

// HasParts reports that a string holds ${…} that must be expanded.
func HasParts(s string) bool { return strings.Contains(s, "${") }

// Expand cuts a string at its ${…}; $${ is a literal ${. ${FROM:NAME} is given to outside,
// which returns the part that it stands for; any other ${…} is a reference to a resource.
// What comes from outside is not expanded again. unclosed is the rest of a string whose last
// ${ has no }.
func Expand(s string, outside func(from, name string) (Part, bool)) (parts Parts, unclosed string, ok bool) {
	ok = true
	plain := func(text string) {
		if n := len(parts); n > 0 && parts[n-1] == (Part{Text: parts[n-1].Text}) {
			parts[n-1].Text += text
		} else if text != "" {
			parts = append(parts, Part{Text: text})
		}
	}
	for {
		i := strings.Index(s, "${")
		switch {
		case i < 0:
			plain(s)
			return parts, "", ok
		case i > 0 && s[i-1] == '$':
			plain(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		plain(s[:i])
		inside, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return parts, s[i:], false
		}
		if from, name, isOutside := strings.Cut(inside, ":"); isOutside && !strings.Contains(from, "/") {
			part, found := outside(from, name)
			parts, ok = append(parts, part), ok && found
		} else {
			parts = append(parts, Part{Text: inside, Reference: true})
		}
		s = rest
	}
}

// text joins the parts that are known without any resource; false if one is a reference.
func (p Parts) text() (string, bool) {
	var b strings.Builder
	for _, x := range p {
		if x.Reference {
			return "", false
		}
		b.WriteString(x.Text)
	}
	return b.String(), true
}

// FromOutside reports that a part came from outside.
func (p *Parts) FromOutside() bool {
	if p == nil {
		return false
	}
	for _, x := range *p {
		if x.From != "" {
			return true
		}
	}
	return false
}

// Private is where the first part came from that the configuration does not call public, as "env:NAME";
// "" if there is none.
func (p *Parts) Private() string {
	if p == nil {
		return ""
	}
	for _, x := range *p {
		if x.From != "" && !x.Public {
			return x.From
		}
	}
	return ""
}

// MayBeSecret says what is wrong with a value from outside where values are recorded and shown.
func MayBeSecret(what, from string) string {
	return what + " is recorded and shown, and " + Quote("${"+from+"}") + " may be a secret"
}
