package resource

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

const concealed = "(secret)"

// leastPart is the length from which a part of a secret reveals something: a line of it, or its beginning
// if the text is cut off. Shorter secrets are found only in plain text, not in other encodings.
const leastPart = 4

// decodings is the maximum number of nested encodings of a secret.
const decodings = 3

// Conceal returns the text with every secret of the value replaced by "(secret)". A provider
// that is given a secret may quote it, for example in an error.
func Conceal(text string, v Value) string { return ConcealText(text, plains(nil, v)...) }

func plains(out []string, v Value) []string {
	switch v := v.(type) {
	case Secret:
		out = append(out, v.plain)
	case List:
		for _, e := range v {
			out = plains(out, e)
		}
	case Text:
		for _, e := range v {
			out = plains(out, e)
		}
	case Attrs:
		for _, a := range v {
			out = plains(out, a.Value)
		}
	}
	return out
}

// ConcealText replaces secrets in a text by "(secret)": in any case of letters, split over lines, line by
// line, cut off at the end, and encoded as programs do it: percent signs, HTML, JSON and other backslashes,
// up to three times over, base64 of either alphabet, also inside longer data, base32 and hexadecimal digits.
func ConcealText(text string, secrets ...string) string {
	forms := map[string]bool{}
	for _, s := range secrets {
		addForms(forms, s)
	}
	if len(forms) == 0 {
		return text
	}
	hidden := make([]bool, len(text))
	for v, round := newView(text), 0; ; round++ {
		folded := v.folded()
		for f := range forms {
			folded.hide([]byte(f), hidden)
		}
		next, changed := v.decoded()
		if !changed || round == decodings {
			break
		}
		v = next
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			out.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			out.WriteString(concealed)
		}
	}
	return out.String()
}

// addForms adds what to search for, folded as the text is.
func addForms(forms map[string]bool, secret string) {
	whole := strings.TrimSpace(secret)
	parts := []string{secret, whole, strings.ToLower(whole), strings.ToUpper(whole)}
	for line := range strings.Lines(secret) {
		if line = strings.TrimSpace(line); len(line) >= leastPart {
			parts = append(parts, line)
		}
	}
	for v, round := newView(secret), 0; round < decodings; round++ { // one that itself looks encoded
		v, _ = v.decoded()
		parts = append(parts, string(v.text))
	}
	for _, p := range parts {
		addForm(forms, p)
		if len(p) < leastPart {
			continue
		}
		addForm(forms, strings.ReplaceAll(p, " ", "+")) // of a URL's query
		addForm(forms, hex.EncodeToString([]byte(p)))
		addForm(forms, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(p)))
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			addForm(forms, e.EncodeToString([]byte(p)))
			for before := range 3 {
				addForm(forms, inside(e, before, p))
			}
		}
	}
}

// inside is the part of the encoding of longer data that depends on the secret alone, which so many bytes
// precede, modulo 3.
func inside(e *base64.Encoding, before int, secret string) string {
	text := e.EncodeToString(append(make([]byte, before), secret...))
	text = text[[]int{0, 2, 3}[before]:]
	if (before+len(secret))%3 != 0 {
		text = text[:len(text)-1]
	}
	if len(text) < leastPart {
		return ""
	}
	return text
}

func addForm(forms map[string]bool, form string) {
	if b := newView(form).folded().text; len(b) > 0 {
		forms[string(b)] = true
	}
}
