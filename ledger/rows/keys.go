// Package rows has the keys of the store that the ledger projects its log into, and the types
// of their values.
package rows

import (
	"net/url"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Prefixes of the keys. The documentation of package ledger describes them.
const (
	KeyLog          = "log/"
	KeyResource     = "resource/"
	KeyScan         = "scan/"
	KeyStack        = "stack/"
	KeyApplied      = "applied/"
	KeyOpen         = "open/"
	KeyLate         = "late/"
	KeyTries        = "tries/"
	KeyRestarts     = "restarts/"
	KeyFights       = "fights/"
	KeyDown         = "down/"
	KeyBlessed      = "blessed/"
	KeyPlan         = "plan/"
	KeyConfirmed    = "confirmed/"
	KeyApproval     = "approval/"
	KeyUsed         = "used/"
	KeySaved        = "saved/"
	KeyRequirement  = "required/"
	KeyRoster       = "roster/"
	KeyRecovery     = "recovery/"
	KeyRecoverySeen = "recovery_seen/"
	KeyActs         = "acts_certified/"
	KeyDecided      = "decided/"
	KeyActions      = "actions/"
	KeyAcknowledged = "acknowledged/"
	KeyLoaded       = "loaded/"
	KeyLed          = "led/"
	KeySource       = "source/"
	KeyAccepted     = "accepted/"
	KeyLookedUp     = "looked_up/"
	KeyOutput       = "output/"
	KeyRoom         = "room/"
	KeyBinding      = "binding/"
	KeyBound        = "bound/"
	KeyIdentity     = "identity/"
	KeyMoved        = "moved/"
	KeyOutage       = "outage/"
	KeyReplace      = "replace/"
	KeyLastGood     = "last_good/"
	KeyExhausted    = "exhausted/"
	KeyWave         = "wave/"
	KeyOrder        = "order/"
	KeyPin          = "pin/"
	KeyTrust        = "trust/"
	KeyRequired     = "trust_required"
	KeyCertified    = "certified/"
	KeyCosigned     = "cosigned/"
	KeyFirst        = "first/"
	KeyEpoch        = "epoch"
)

// KeyClaim and KeyNote hold claims and notes: they are leased and the ledger does not write them.
const (
	KeyClaim = "claim/"
	KeyNote  = "note/"
)

// IsFact reports whether a key comes from records: it is neither a claim nor a note, nor a key
// that only keeps order in a store that instances share.
func IsFact(key string) bool {
	for _, prefix := range [...]string{KeyLog, KeyClaim, KeyNote, KeyFirst} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return key != KeyEpoch
}

// stackMark separates the stack from the ref before it. It sorts before all that names may consist
// of, so that the keys of a scope are in the order of their refs.
const stackMark = "\t"

// Of is the key of a ref under a prefix: provider/location/kind/name, and the stack behind that.
// The location comes first because a scope is read at once; stacks of the same scope have their
// resources side by side.
func Of(prefix string, r resource.Ref) string {
	key := prefix + r.Bare().String()
	if r.Stack == "" {
		return key
	}
	return key + stackMark + url.PathEscape(r.Stack)
}

// AppendOf appends what Of returns.
func AppendOf(b []byte, prefix string, r *resource.Ref) []byte {
	b = append(append(append(b, prefix...), r.Provider...), '/')
	b = append(append(b, r.Location...), '/')
	b = append(append(b, r.Kind...), '/')
	b = append(b, r.Name...)
	if r.Stack == "" {
		return b
	}
	return append(append(b, stackMark...), url.PathEscape(r.Stack)...)
}

// RefOf is the inverse of Of.
func RefOf(prefix, key string) (resource.Ref, error) {
	name, stack, marked := strings.Cut(strings.TrimPrefix(key, prefix), stackMark)
	r, err := resource.ParseRef(name)
	if err != nil || !marked {
		return r, err
	}
	r.Stack, err = url.PathUnescape(stack)
	return r, err
}

// ResourcePrefix is the prefix of the resources of a scope.
func ResourcePrefix(s resource.Scope) string { return KeyResource + s.String() + "/" }

// InScope reports whether a key with the prefix of a scope names a resource of that scope itself,
// not of one with a longer name.
func InScope(key, prefix string) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && strings.Count(rest, "/") == 1
}

// ScopePrefix is the prefix of the scope that a key of a resource names.
func ScopePrefix(key string) string {
	name, _, _ := strings.Cut(key, stackMark)
	name = name[:max(0, strings.LastIndexByte(name, '/'))]
	return name[:strings.LastIndexByte(name, '/')+1]
}

// PlanOf is the key of a stack's last plan.
func PlanOf(stack string) string { return KeyPlan + url.PathEscape(stack) }

// OrderOf is the key of an order.
func OrderOf(stack, order, location, name string) string {
	return KeyOrder + url.PathEscape(stack) + "/" + order + "/" + url.PathEscape(location) + "/" + url.PathEscape(name)
}

// WaveOf is the key of how far the newest configuration of a kind and name was rolled out.
func WaveOf(stack, kind, name string) string {
	return KeyWave + url.PathEscape(stack) + "/" + kind + "/" + name
}

// OutputsOf is the prefix of the recorded outputs of a stack.
func OutputsOf(stack string) string { return KeyOutput + url.PathEscape(stack) + "/" }

// OutputOf is the key of a recorded output of a stack.
func OutputOf(stack, name string) string { return OutputsOf(stack) + url.PathEscape(name) }

// ParseOutput is the inverse of OutputOf.
func ParseOutput(key string) (stack, name string, err error) {
	stack, name, _ = strings.Cut(strings.TrimPrefix(key, KeyOutput), "/")
	if stack, err = url.PathUnescape(stack); err == nil {
		name, err = url.PathUnescape(name)
	}
	return stack, name, err
}

// LoadedOf is the key of the version of a stack that was last loaded.
func LoadedOf(stack string) string { return KeyLoaded + url.PathEscape(stack) }

// LedOf is the key of the version of a stack that its leading loop has loaded.
func LedOf(stack string) string { return KeyLed + url.PathEscape(stack) }

// SourceOf is the key of a part of a stack's source, as accepted last. The part without a name has the shared settings.
func SourceOf(stack, part string) string { return SourcesOf(stack) + url.PathEscape(part) }

// SourcesOf is the prefix of the parts of a stack's source.
func SourcesOf(stack string) string { return KeySource + url.PathEscape(stack) + "/" }

// ParseSource is the inverse of SourceOf.
func ParseSource(key string) (stack, part string, err error) {
	stack, part, _ = strings.Cut(strings.TrimPrefix(key, KeySource), "/")
	if stack, err = url.PathUnescape(stack); err == nil {
		part, err = url.PathUnescape(part)
	}
	return stack, part, err
}

// AcceptedIn is the prefix of the resources of a stack as its source was accepted last.
func AcceptedIn(stack string) string { return KeyAccepted + url.PathEscape(stack) + "/" }

// AcceptedOf is the key of a resource as its source was accepted last.
func AcceptedOf(r resource.Ref) string { return AcceptedIn(r.Stack) + r.Bare().String() }

// StacksIn is the prefix of the keys of the stacks that own something in a scope.
func StacksIn(s resource.Scope) string { return KeyStack + s.String() + stackMark }

// StackOf is the key of a stack that owns something in a scope.
func StackOf(stack string, s resource.Scope) string { return StacksIn(s) + url.PathEscape(stack) }

// ParseStack is the inverse of StackOf.
func ParseStack(key string) (stack string, s resource.Scope, ok bool) {
	scope, escaped, ok := strings.Cut(strings.TrimPrefix(key, KeyStack), stackMark)
	if !ok {
		return "", s, false
	}
	stack, err := url.PathUnescape(escaped)
	if err != nil || s.UnmarshalText([]byte(scope)) != nil {
		return "", s, false
	}
	return stack, s, true
}
