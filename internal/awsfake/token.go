package awsfake

import (
	"encoding/base64"
	"fmt"
)

// A page token holds which page it opens and after which resource it continues, so
// that a list is complete while resources are created and deleted.
func token(page int, after int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d|%d", page, after))
}

func readToken(s string) (page int, after int64, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return 0, 0, false
	}
	n, err := fmt.Sscanf(string(text), "%d|%d", &page, &after)
	return page, after, err == nil && n == 2 && page > 1
}

// pageOf is the number of the page that a call asks for, the first being 1.
func pageOf(cl *call) int {
	var tok string
	switch {
	case cl.Service == "route53":
		tok = cl.rest.Query.Get("marker")
	case cl.rest != nil:
		tok = cl.rest.Query.Get("continuation-token")
	case cl.Service == "rds":
		tok = cl.p.peek("Marker")
	case speaksJSON(cl.Service):
		tok = jsonToken(cl.json)
	default:
		tok = cl.p.peek("NextToken")
	}
	if page, _, ok := readToken(tok); ok {
		return page
	}
	return 1
}
