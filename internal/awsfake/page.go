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

// cut gives one page of a list that is sorted by birth, and the token of the
// next one, empty on the last page.
func cut[T entity](list []T, tok string, size int) ([]T, string, bool) {
	page, after := 1, int64(-1<<62)
	if tok != "" {
		var ok bool
		if page, after, ok = readToken(tok); !ok {
			return nil, "", false
		}
	}
	start := 0
	for start < len(list) && list[start].meta().Seq <= after {
		start++
	}
	list = list[start:]
	if size <= 0 || len(list) <= size {
		return list, "", true
	}
	return list[:size], token(page+1, list[size-1].meta().Seq), true
}

// ec2Rows pages rows that are not resources themselves; they are counted.
func ec2Rows[T any](x *exchange, rows []T) ([]T, *string, error) {
	size, err := x.p.num("MaxResults", len(rows))
	if err != nil {
		return nil, nil, err
	}
	if x.p.has("MaxResults") && (size < 5 || size > 1000) {
		return nil, nil, badValue(x.p.str("MaxResults"), "maxResults", "Expecting a value between 5 and 1000.")
	}
	page, start := 1, int64(0)
	if tok := x.p.str("NextToken"); tok != "" {
		var ok bool
		if page, start, ok = readToken(tok); !ok || start < 0 || start > int64(len(rows)) {
			return nil, nil, failf("InvalidNextToken", "The token %q is not valid.", tok)
		}
	}
	if rest := rows[start:]; len(rest) <= size {
		return rest, nil, nil
	}
	next := token(page+1, start+int64(size))
	return rows[start : start+int64(size)], &next, nil
}

// ec2Page cuts a page as the EC2 API does ("Pagination in the EC2 API"):
// MaxResults from 5 to 1000, not together with ids, and no page without it.
func ec2Page[T entity](x *exchange, list []T, ids string, limit int) ([]T, *string, error) {
	size, err := x.p.num("MaxResults", 0)
	if err != nil {
		return nil, nil, err
	}
	if x.p.has("MaxResults") {
		if size < 5 || size > limit {
			return nil, nil, badValue(x.p.str("MaxResults"), "maxResults", fmt.Sprintf("Expecting a value between 5 and %d.", limit))
		}
		if ids != "" && x.p.has(ids) {
			return nil, nil, failf("InvalidParameterCombination", "The parameter %s cannot be used with the parameter maxResults", ids)
		}
	}
	rows, next, ok := cut(list, x.p.str("NextToken"), size)
	if !ok {
		return nil, nil, failf("InvalidNextToken", "The token %q is not valid.", x.p.str("NextToken"))
	}
	if next == "" {
		return rows, nil, nil
	}
	return rows, &next, nil
}
