package resource

import "strings"

// Conceal returns the text with every secret of the value replaced by "(secret)". A provider
// that is given a secret may quote it, for example in an error.
func Conceal(text string, v Value) string {
	switch v := v.(type) {
	case Secret:
		if v.plain != "" {
			text = strings.ReplaceAll(text, v.plain, v.String())
		}
	case List:
		for _, e := range v {
			text = Conceal(text, e)
		}
	case Text:
		for _, e := range v {
			text = Conceal(text, e)
		}
	case Attrs:
		for _, a := range v {
			text = Conceal(text, a.Value)
		}
	}
	return text
}
