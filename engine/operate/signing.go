package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/sshsig"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/wal"
)

// Signing is the key of a person: which one, and how it signs a text for event.Namespace, in the armored
// form of `ssh-keygen -Y sign`. Sign may ask the person for a touch or a passphrase.
type Signing struct {
	Key  sshsig.Key
	Sign func(ctx context.Context, text []byte) (string, error)
}

// errNeedsSignature: a name of the roster is used without its key.
var errNeedsSignature = errors.New("the roster has keys of this user, so that only signed acts of them count")

// signed signs a statement, which is made with the name that the roster has for the key. Without a
// key the name is the operator's own, which must not be on the roster. The signature is verified
// before it is recorded: a broken one in the log could never be corrected. An act that lowers a
// protection must be signed once there is a roster.
func (e *Operator) signed(
	ctx context.Context, a OperatorAction, lowers bool, statement func(who string) []byte,
) (*event.SignedBy, string, error) {
	roster, err := e.plan.Ledger.Roster(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("read the roster: %w", err)
	}
	if a.Sign.Sign == nil && lowers {
		guards, err := e.plan.Ledger.Guards(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("read the roster: %w", err)
		}
		if len(guards) > 0 {
			return nil, "", ledger.ErrNeedsPerson
		}
	}
	if a.Sign.Sign == nil {
		// An unsigned act under a name of the roster counts for nothing, so it is refused before it is recorded.
		if slices.ContainsFunc(roster, func(s event.Signer) bool { return s.Name == a.Who }) {
			return nil, "", fmt.Errorf("%s: %w: use --sign KEYFILE", a.Who, errNeedsSignature)
		}
		return nil, a.Who, nil
	}
	i := slices.IndexFunc(roster, func(s event.Signer) bool { return s.Key == a.Sign.Key })
	if i < 0 {
		return nil, "", fmt.Errorf("%w: %s: add it with `ovi signer add NAME KEYFILE`", event.ErrNotOnRoster,
			a.Sign.Key.Fingerprint())
	}
	// The name that the roster has for the key counts, and not the name of the operator on this host.
	who := roster[i].Name
	text := statement(who)
	signature, err := a.Sign.Sign(ctx, text)
	if err != nil {
		return nil, "", err
	}
	by := &event.SignedBy{Key: a.Sign.Key, Signature: signature}
	if _, err := event.Verify(text, by); err != nil {
		return nil, "", fmt.Errorf("the signature does not hold: %w", err)
	}
	return by, who, nil
}

// signBlessing adds who, and the signature.
func (e *Operator) signBlessing(ctx context.Context, b event.Blessed, a OperatorAction) (event.Blessed, error) {
	// The time is a part of the statement, so that each signed act has a statement of its own.
	if a.Sign.Sign != nil {
		b.At = e.plan.Now()
	}
	by, who, err := e.signed(ctx, a, !b.On, func(who string) []byte {
		b.Who = who
		return b.Statement(e.plan.Ledger.Instance())
	})
	b.Who, b.SignedBy = who, by
	return b, err
}

// ChangeRoster puts a key of a person on the roster, or removes it. The first key needs no
// signature; each later change needs one of a key that is on the roster. If the roster was changed
// meanwhile, the error is the ledger's, and nothing is recorded.
func (e *Operator) ChangeRoster(
	ctx context.Context, s event.Signer, on bool, a OperatorAction,
) (event.RosterChanged, error) {
	before, err := e.plan.Ledger.Roster(ctx)
	if err != nil {
		return event.RosterChanged{}, fmt.Errorf("read the roster: %w", err)
	}
	out := event.RosterChanged{Signer: s, On: on, Before: before, Who: a.Who, Reason: a.Reason}
	if out.Signers = out.After(); len(out.Signers) == 0 {
		return out, fmt.Errorf("change the roster: %w", event.ErrLastKey) // before the person signs
	}
	if len(before) > 0 && a.Sign.Sign == nil {
		var names []string // a person can have several keys
		for _, b := range before {
			if !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
		return out, fmt.Errorf("change the roster: %w: use --sign KEYFILE with a key of %s", event.ErrUnsigned,
			strings.Join(names, " or "))
	}
	if len(before) > 0 {
		out.SignedBy, out.Who, err = e.signed(ctx, a, true, func(who string) []byte {
			out.Who = who
			return out.Statement(e.plan.Ledger.Instance())
		})
	}
	if err == nil {
		err = e.plan.Ledger.ChangeRoster(ctx, out)
	}
	if err != nil {
		return out, fmt.Errorf("change the roster: %w", err)
	}
	return out, nil
}

// personal is an act that a person may sign.
type personal[E any] interface {
	event.Guarded
	As(who string, by *event.SignedBy) E
}

// signedAs signs an act that may lower a protection.
func signedAs[E personal[E]](ctx context.Context, e *Operator, a OperatorAction, act E) (E, error) {
	by, who, err := e.signed(ctx, a, true, func(who string) []byte {
		return any(act.As(who, nil)).(event.Guarded).Statement(e.plan.Ledger.Instance())
	})
	return act.As(who, by), err
}

// Govern records decisions about required policies and about keys of instances, and returns them as recorded. Once
// there is a roster, a person must sign them. Nothing is recorded if one of them cannot be signed: all are one batch.
func (e *Operator) Govern(ctx context.Context, a OperatorAction, events ...event.Event) ([]event.Event, error) {
	out := make([]event.Event, len(events))
	for i, x := range events {
		var err error
		switch x := x.(type) {
		case event.PolicyRequired:
			x.SignedAt = e.signedAt(a)
			out[i], err = signedAs(ctx, e, a, x)
		case event.Trusted:
			// The number is a part of the signed statement. The ledger numbers the unsigned decisions.
			if x.SignedAt = e.signedAt(a); a.Sign.Sign != nil {
				x.Number, err = e.plan.Ledger.Proofs().NextDecision(ctx, x)
			}
			if err == nil {
				out[i], err = signedAs(ctx, e, a, x)
			}
		case event.TrustRequired:
			if x.SignedAt = e.signedAt(a); a.Sign.Sign != nil {
				x.Number, err = e.plan.Ledger.Proofs().NextDecision(ctx, x)
			}
			if err == nil {
				out[i], err = signedAs(ctx, e, a, x)
			}
		default:
			err = fmt.Errorf("%s is not a decision about policies or keys", x.Type())
		}
		if err != nil {
			return nil, err
		}
	}
	_, err := e.plan.Ledger.Record(ctx, out...)
	return out, err
}

// signedAt is the time in a statement that a person signs, else the zero time.
func (e *Operator) signedAt(a OperatorAction) (at time.Time) {
	if a.Sign.Sign != nil {
		at = e.plan.Now().UTC().Round(0)
	}
	return at
}

// Trim removes old parts of the audit log: see the ledger's Trim. Once there is a roster, a person must sign it.
func (e *Operator) Trim(ctx context.Context, keep wal.Seq, a OperatorAction) (wal.Seq, error) {
	var sign record.Sign[event.Baseline] = func(b event.Baseline) (event.Baseline, error) {
		return signedAs(ctx, e, a, b)
	}
	return e.plan.Ledger.Trim(ctx, keep, sign)
}
