package awsfake

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

const maxToken = 64

// checkToken: a client token has up to 64 ASCII characters ("Ensuring
// idempotency in Amazon EC2 API requests").
func (x *exchange) checkToken() error {
	tok := x.p.str("ClientToken")
	if len(tok) > maxToken || slices.ContainsFunc([]byte(tok), func(b byte) bool { return b > 126 }) {
		return failf("InvalidParameterValue", "Value (%s) for parameter clientToken is invalid. Tokens must be at most %d ASCII characters.", tok, maxToken)
	}
	return nil
}

// remembered finds what an earlier call with the same token created. The
// same token with other parameters is refused.
func (x *exchange) remembered() ([]string, bool, error) {
	tok := x.p.str("ClientToken")
	if tok == "" {
		return nil, false, nil
	}
	old, ok := find[*clientToken](x.tx, x.Region, x.Action+"/"+tok)
	if !ok {
		return nil, false, nil
	}
	if old.Digest != x.digest() {
		return nil, false, failf("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
	}
	x.p.heed()
	return old.IDs, true, nil
}

func (x *exchange) remember(made []string) {
	if tok := x.p.str("ClientToken"); tok != "" {
		x.tx.put(&clientToken{base: x.tx.named(x.Action+"/"+tok, x.Region), Digest: x.digest(), IDs: made})
	}
}

// digest is what a token identifies: every parameter but the token itself.
func (x *exchange) digest() string {
	sum := sha256.Sum256([]byte(x.p.digest("ClientToken", "Version", "DryRun")))
	return hex.EncodeToString(sum[:16])
}

// forget lets the token of a terminated instance go a day after its end ("a
// client token is valid for at least 24 hours after the termination").
func (x *exchange) forget(tok string, end time.Time) {
	if old, ok := find[*clientToken](x.tx, x.Region, "RunInstances/"+tok); ok && tok != "" {
		c := *old
		c.Until = end.Add(24 * time.Hour)
		x.tx.put(&c)
	}
}
