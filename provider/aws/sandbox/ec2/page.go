package ec2

import (
	"fmt"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// PageRows pages rows that are not resources themselves; they are counted.
func PageRows[T any](x *core.Exchange, rows []T) ([]T, *string, error) {
	size, err := x.P.Num("MaxResults", len(rows))
	if err != nil {
		return nil, nil, err
	}
	if x.P.Has("MaxResults") && (size < 5 || size > 1000) {
		return nil, nil, wire.BadValue(x.P.Str("MaxResults"), "maxResults", "Expecting a value between 5 and 1000.")
	}
	page, start := 1, int64(0)
	if tok := x.P.Str("NextToken"); tok != "" {
		var ok bool
		if page, start, ok = wire.ReadToken(tok); !ok || start < 0 || start > int64(len(rows)) {
			return nil, nil, wire.Failf("InvalidNextToken", "The token %q is not valid.", tok)
		}
	}
	if rest := rows[start:]; len(rest) <= size {
		return rest, nil, nil
	}
	next := wire.Token(page+1, start+int64(size))
	return rows[start : start+int64(size)], &next, nil
}

// Page cuts a page as the EC2 API does ("Pagination in the EC2 API"):
// MaxResults from 5 to 1000, not together with ids, and no page without it.
func Page[T core.Entity](x *core.Exchange, list []T, ids string, limit int) ([]T, *string, error) {
	size, err := x.P.Num("MaxResults", 0)
	if err != nil {
		return nil, nil, err
	}
	if x.P.Has("MaxResults") {
		if size < 5 || size > limit {
			return nil, nil, wire.BadValue(x.P.Str("MaxResults"), "maxResults",
				fmt.Sprintf("Expecting a value between 5 and %d.", limit))
		}
		if ids != "" && x.P.Has(ids) {
			return nil, nil, wire.Failf("InvalidParameterCombination",
				"The parameter %s cannot be used with the parameter maxResults", ids)
		}
	}
	rows, next, ok := core.Cut(list, x.P.Str("NextToken"), size)
	if !ok {
		return nil, nil, wire.Failf("InvalidNextToken", "The token %q is not valid.", x.P.Str("NextToken"))
	}
	if next == "" {
		return rows, nil, nil
	}
	return rows, &next, nil
}
