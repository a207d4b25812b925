package resource

import "time"

// Ownership is whose an observed resource is, as comparator.Bind concludes from what the
// record proves; see CORE.md section 2. Only what is Proven may be changed.
type Ownership string

// The ownerships. The zero Ownership is of a resource that was not bound yet.
const (
	Proven    Ownership = "proven"    // the record proves that this resource was created or adopted here
	Disputed  Ownership = "disputed"  // bound, but its marks name another resource, or its key is not the recorded one
	Copied    Ownership = "copied"    // carries the marks of a resource on record, and is another one
	Attested  Ownership = "attested"  // not on record, but its marks date from its creation: the record was lost
	Unproven  Ownership = "unproven"  // not on record, and anybody may have written its marks
	Former    Ownership = "former"    // was bound once: deleted, forgotten or replaced since
	Unmanaged Ownership = "unmanaged" // neither marks nor binding
)

// Role tells the two resources of a replacement under way apart.
type Role string

// The roles. The zero Role is of the only resource of its ref.
const (
	RoleOld Role = "old" // to be deleted when the new one has taken over
	RoleNew Role = "new" // created to take over
)

// Carrier says when a kind can carry ovi's marks.
type Carrier int

// The carriers.
const (
	Anytime  Carrier = iota // marks can be written and repaired at any time
	AtCreate                // marks are fixed when the resource is created
	NoMarks                 // the system keeps no marks
)

// Marks are what the system keeps of ovi's tags or labels on a resource. They are claims that
// anybody may write; what proves ownership is the record.
type Marks struct {
	Ref     Ref
	Stack   string
	Owner   string
	Key     string // the idempotency key of its creation
	Blessed bool
}

// IsZero reports that the resource carries no marks that name a resource.
func (m Marks) IsZero() bool { return m.Ref.IsZero() }

// Binding is what the record proves of a resource: that it was created or adopted under a ref,
// by id. Bindings are kept after they end.
type Binding struct {
	Stack string `json:"stack"`
	Ref   Ref    `json:"ref"`
	ID    string `json:"id"`
	UID   string `json:"uid,omitempty"` // tells the resource from another of the same ID; "" where ids are never used again
	Key   string `json:"key,omitempty"` // the idempotency key of its creation, or written when it was adopted
	Role  Role   `json:"role,omitempty"`
	// Generation grows with each binding of the ref; on a shared store an older one proves nothing.
	Generation uint64 `json:"generation"`
	Former     bool   `json:"former,omitempty"`    // another resource has taken its place
	Ended      bool   `json:"ended,omitempty"`     // deleted, forgotten, moved, or gone outside ovi
	Dismissed  bool   `json:"dismissed,omitempty"` // never bound: an operator said that this id blocks nothing and is never changed
	Adopted    bool   `json:"adopted,omitempty"`
	// Seq is the record that proves it, in the log of Instance; At is when it was made.
	Seq      uint64    `json:"seq"`
	Instance string    `json:"instance,omitempty"`
	At       time.Time `json:"at,omitzero"`
}

// Live reports that the binding gives a right to act.
func (b Binding) Live() bool { return !b.Ended && !b.Former && !b.Dismissed }

// Managed reports that the record proves the resource to be created or adopted here.
func (o *Observed) Managed() bool { return o.Ownership == Proven }
