package wire

import (
	"encoding/base64"
	"fmt"
)

// A page token holds which page it opens and after which resource it continues, so
// that a list is complete while resources are created and deleted.
func Token(page int, after int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d|%d", page, after))
}

// ReadToken reads a page token.
func ReadToken(s string) (page int, after int64, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return 0, 0, false
	}
	n, err := fmt.Sscanf(string(text), "%d|%d", &page, &after)
	return page, after, err == nil && n == 2 && page > 1
}

// PageOf is the number of the page that a call asks for, the first being 1.
func PageOf(cl *Call) int {
	var tok string
	switch {
	case cl.Service == "route53":
		tok = cl.Rest.Query.Get("marker")
	case cl.Rest != nil:
		tok = cl.Rest.Query.Get("continuation-token")
	case cl.Service == "rds":
		tok = cl.P.peek("Marker")
	case SpeaksJSON(cl.Service):
		tok = jsonToken(cl.JSON)
	default:
		tok = cl.P.peek("NextToken")
	}
	if page, _, ok := ReadToken(tok); ok {
		return page
	}
	return 1
}
