package trust

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
)

// ErrNeedsPerson is returned for an act that may lower a protection and has no signature that counts.
var ErrNeedsPerson = errors.New("only a signature of a person on the roster allows it")

// lowers reports whether an event of a batch may lower a protection. A rename moves a blessing along, and a
// plan forgets what a signed approval allows.
func lowers(e event.Event, all []event.Event) bool {
	switch e := e.(type) {
	case event.Blessed:
		return !e.On && !slices.ContainsFunc(all, func(x event.Event) bool {
			m, moved := x.(event.Moved)
			return moved && m.From == e.Ref && slices.ContainsFunc(all, func(x event.Event) bool {
				b, is := x.(event.Blessed)
				return is && b.On && b.Ref == m.Ref
			})
		})
	case event.Disowned:
		return e.Plan == ""
	}
	return true
}

// signedOn fails if no person on the roster signed an act that an instance recorded. The name must belong
// to the key: a person on the roster cannot sign in the name of another one.
func signedOn(roster []event.Signer, g event.Guarded, instance string) error {
	who, by := g.Person()
	key, err := event.Verify(g.Statement(instance), by)
	switch {
	case errors.Is(err, event.ErrUnsigned):
		return fmt.Errorf("%w: %w", ErrNeedsPerson, err)
	case err != nil:
		return fmt.Errorf("%w: the signature does not hold: %w", ErrNeedsPerson, err)
	case !slices.Contains(roster, event.Signer{Name: who, Key: key}):
		return fmt.Errorf("%w: %w", ErrNeedsPerson, event.ErrNotOnRoster)
	}
	return nil
}
