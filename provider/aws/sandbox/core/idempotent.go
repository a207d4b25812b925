package core

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

const maxToken = 64

// CheckToken: a client token has up to 64 ASCII characters ("Ensuring
// idempotency in Amazon EC2 API requests").
func (x *Exchange) CheckToken() error {
	tok := x.P.Str("ClientToken")
	if len(tok) > maxToken || slices.ContainsFunc([]byte(tok), func(b byte) bool { return b > 126 }) {
		return wire.Failf("InvalidParameterValue",
			"Value (%s) for parameter clientToken is invalid. Tokens must be at most %d ASCII characters.", tok, maxToken)
	}
	return nil
}

// Remembered finds what an earlier call with the same token created. The
// same token with other parameters is refused.
func (x *Exchange) Remembered() ([]string, bool, error) {
	tok := x.P.Str("ClientToken")
	if tok == "" {
		return nil, false, nil
	}
	old, ok := Find[*clientToken](x.Tx, x.Region, x.Action+"/"+tok)
	if !ok {
		return nil, false, nil
	}
	if old.Digest != x.digest() {
		return nil, false, wire.Failf("IdempotentParameterMismatch",
			"Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
	}
	x.P.Heed()
	return old.IDs, true, nil
}

// Remember keeps what a call with a token created.
func (x *Exchange) Remember(made []string) {
	if tok := x.P.Str("ClientToken"); tok != "" {
		x.Tx.Put(&clientToken{Base: x.Tx.Named(x.Action+"/"+tok, x.Region), Digest: x.digest(), IDs: made})
	}
}

// digest is what a token identifies: every parameter but the token itself.
func (x *Exchange) digest() string {
	sum := sha256.Sum256([]byte(x.P.Digest("ClientToken", "Version", "DryRun")))
	return hex.EncodeToString(sum[:16])
}

// Forget lets the token of a terminated instance go a day after its end ("a
// client token is valid for at least 24 hours after the termination").
func (x *Exchange) Forget(tok string, end time.Time) {
	if old, ok := Find[*clientToken](x.Tx, x.Region, "RunInstances/"+tok); ok && tok != "" {
		c := *old
		c.Until = end.Add(24 * time.Hour)
		x.Tx.Put(&c)
	}
}
