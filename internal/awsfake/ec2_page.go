package awsfake

import "fmt"

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
