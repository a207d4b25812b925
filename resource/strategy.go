package resource

// Strategy is the order in which a replacement deletes the old resource and creates the new
// one. A kind lists the strategies that it supports; the engine performs the steps.
type Strategy string

// The strategies.
const (
	// DestroyFirst deletes the old resource, then creates the new one. It cannot be reverted.
	DestroyFirst Strategy = "destroy-first"
	// CreateFirst creates the new resource, updates what refers to the old one, then deletes
	// the old one. Both exist for a while, so they must not share a fixed name or address.
	CreateFirst Strategy = "create-first"
	// Swap sets the old resource aside (frees its name), creates the new one stopped, stops the
	// old one and starts the new one, and deletes the old one once the new one is healthy.
	Swap Strategy = "swap"
	// StartFirst is a swap that stops the old resource only once the new one is healthy: both run
	// for a while, so they must not share a host port or anything writable.
	StartFirst Strategy = "start-first"
)

// KeepsOld reports whether the old resource exists until the new one is healthy.
func (s Strategy) KeepsOld() bool { return s != DestroyFirst }

// SetsAside reports whether the old resource is set aside before the new one is created.
func (s Strategy) SetsAside() bool { return s == Swap || s == StartFirst }
