package ledger

import (
	"context"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Prefixes of the keys in the store; doc.go says what stands under them.
const (
	keyLog          = "log/"
	keyResource     = "thing/"
	keyScan         = "scan/"
	keyStack        = "stack/"
	keyApplied      = "applied/"
	keyOpen         = "open/"
	keyTries        = "tries/"
	keyBlessed      = "blessed/"
	keyPlan         = "plan/"
	keyYes          = "approved/"
	keyConsent      = "consent/"
	keyDecided      = "decided/"
	keyActions      = "acts/"
	keyAcknowledged = "acked/"
	keyLoaded       = "loaded/"
	keyFirst        = "first/"
	keyEpoch        = "era"
)

func (l *Ledger) get(ctx context.Context, key string, at storage.Revision) (storage.Entry, error) {
	return get(ctx, l.store, key, at)
}

// get reads one key; the zero Entry if it is absent.
func get(ctx context.Context, store storage.Store, key string, at storage.Revision) (storage.Entry, error) {
	return storage.Get(ctx, store, key, at)
}

// inScope says whether a key under thing/ names a thing of the scope itself, not of a place
// whose name is longer.
func inScope(key, prefix string) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && strings.Count(rest, "/") == 1
}

func resourcePrefix(s resource.Scope) string { return keyResource + s.String() + "/" }
