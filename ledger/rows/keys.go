// Package rows names the keys of the store that the ledger projects its log into, and has the
// types of their values.
package rows

import (
	"net/url"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Prefixes of the keys in the store; doc.go says what stands under them.
const (
	KeyLog          = "log/"
	KeyResource     = "thing/"
	KeyScan         = "scan/"
	KeyStack        = "stack/"
	KeyApplied      = "applied/"
	KeyOpen         = "open/"
	KeyTries        = "tries/"
	KeyBlessed      = "blessed/"
	keyPlan         = "plan/"
	KeyYes          = "approved/"
	KeyConsent      = "consent/"
	KeyDecided      = "decided/"
	KeyActions      = "acts/"
	KeyAcknowledged = "acked/"
	keyLoaded       = "loaded/"
	KeyBinding      = "binding/"
	KeyBound        = "bound/"
	KeyIdentity     = "identity/"
	KeyFirst        = "first/"
	KeyEpoch        = "era"
)

// keyClaim and keyNote are where claims and notes stand: leased, and none of the ledger's.
const (
	KeyClaim = "claim/"
	KeyNote  = "note/"
)

// isFact says that a key comes from the records: it is no claim or note, and none that only
// keeps order among those who share the store.
func IsFact(key string) bool {
	for _, prefix := range [...]string{KeyLog, KeyClaim, KeyNote, KeyFirst} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return key != KeyEpoch
}

// inScope says whether a key under thing/ names a thing of the scope itself, not of a place
// whose name is longer.
func InScope(key, prefix string) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && strings.Count(rest, "/") == 1
}

func ResourcePrefix(s resource.Scope) string { return KeyResource + s.String() + "/" }

func PlanKey(stack string) string { return keyPlan + url.PathEscape(stack) }

func LoadedKey(stack string) string { return keyLoaded + url.PathEscape(stack) }

func ApprovalKey(digest, who string) string {
	return KeyConsent + url.PathEscape(digest) + "/" + url.PathEscape(who)
}

// stackKey escapes the stack's name, which may hold a slash.
func StackKey(stack string, s resource.Scope) string {
	return KeyStack + url.PathEscape(stack) + "/" + s.String()
}

func ParseStackKey(key string) (stack string, s resource.Scope, ok bool) {
	escaped, scope, ok := strings.Cut(strings.TrimPrefix(key, KeyStack), "/")
	if !ok {
		return "", s, false
	}
	stack, err := url.PathUnescape(escaped)
	if err != nil || s.UnmarshalText([]byte(scope)) != nil {
		return "", s, false
	}
	return stack, s, true
}
