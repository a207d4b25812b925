package resource

// Strategy is the order in which a replacement deletes the old resource and creates the new
// one. A kind says which are possible; the engine does the steps of the one chosen.
type Strategy string

// The strategies.
const (
	// DestroyFirst deletes the old resource, then creates the new one. There is no way back.
	DestroyFirst Strategy = "destroy-first"
	// CreateFirst creates the new resource, updates what refers to the old one, then deletes
	// that. Both exist for a while, so no name or address may be fixed.
	CreateFirst Strategy = "create-first"
	// Swap sets the old resource aside, creates the new one in its place without starting it,
	// stops the old one and starts the new one, and deletes the old one once the new one is
	// healthy.
	Swap Strategy = "swap"
	// StartFirst is a swap that starts the new resource before it stops the old one: both run
	// for a while, so they must share no host port and nothing writable.
	StartFirst Strategy = "start-first"
)

// KeepsOld says that the old resource exists until the new one is healthy.
func (s Strategy) KeepsOld() bool { return s != DestroyFirst }

// SetsAside says that the old resource gives its place to the new one before that is created.
func (s Strategy) SetsAside() bool { return s == Swap || s == StartFirst }
