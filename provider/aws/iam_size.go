package aws

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// maxPolicy is the maximum number of characters of a managed policy of IAM, without white space ("IAM and
// AWS STS quotas").
const maxPolicy = 6144

// grants are a policy.
type grants struct {
	Version   string
	Statement []grant
}

// packed divides statements, in their order, among as few policies as take them. Several policies together
// allow the same as one with all statements. A statement that is too large for a policy is divided too, by
// its actions or its resources.
func packed(all []grant) []grants {
	const version = "2012-10-17"
	var out []grants
	next := grants{Version: version}
	for _, whole := range all {
		for _, g := range pieces(whole) {
			with := grants{version, append(next.Statement[:len(next.Statement):len(next.Statement)], g)}
			if len(next.Statement) > 0 && sizeOf(with) > maxPolicy {
				out = append(out, next)
				with.Statement = []grant{g}
			}
			next = with
		}
	}
	return append(out, next)
}

// pieces are a statement as policies can take it. Each has a Sid of its own, as a policy requires.
// The first one keeps the Sid without a number. A statement that cannot be divided stays too large,
// and IAM refuses its policy.
func pieces(g grant) []grant {
	out := []grant{g}
	for i := 0; i < len(out); {
		a, b, ok := halves(out[i])
		if sizeOf(grants{"2012-10-17", out[i : i+1]}) <= maxPolicy || !ok {
			i++
			continue
		}
		out = append(out[:i:i], append([]grant{a, b}, out[i+1:]...)...)
	}
	for i := 1; i < len(out); i++ {
		out[i].Sid += strconv.Itoa(i + 1)
	}
	return out
}

// halves divides the longer list. A statement that excludes resources is not divided by resources: with
// half of the exclusions, each piece would allow the resources that the other half excludes.
func halves(g grant) (a, b grant, ok bool) {
	a, b = g, g
	switch n, m := len(g.Action), len(g.Resource); {
	case m > n:
		a.Resource, b.Resource = g.Resource[:m/2], g.Resource[m/2:]
	case n > 1:
		a.Action, b.Action = g.Action[:n/2], g.Action[n/2:]
	default:
		return g, g, false
	}
	return a, b, true
}

// sizeOf is the number of characters of a policy as IAM counts them, without the indentation of the
// printed text.
func sizeOf(d grants) int {
	text, err := json.Marshal(d)
	if err != nil {
		return 0 // of strings alone: it cannot fail
	}
	return utf8.RuneCount(text)
}
