package resource

import "time"

// Ownership is what comparator.Bind concludes about an observed resource from what the audit
// log proves. Only a Proven resource may be changed.
type Ownership string

// The ownerships. The zero Ownership is of a resource that was not bound yet.
const (
	Proven    Ownership = "proven"    // the audit log proves that this resource was created or adopted here
	Disputed  Ownership = "disputed"  // bound, but its marks name another resource, or its key is not the recorded one
	Copied    Ownership = "copied"    // another resource that carries the marks of a recorded one
	Attested  Ownership = "attested"  // not recorded, but its marks date from its creation: the audit log was lost
	Unproven  Ownership = "unproven"  // not recorded, and its marks may be forged
	Former    Ownership = "former"    // bound earlier; deleted, forgotten or replaced since
	Unmanaged Ownership = "unmanaged" // neither marks nor binding
)

// Role distinguishes the two resources of a replacement in progress.
type Role string

// The roles. The zero Role is of the only resource of its ref.
const (
	RoleOld Role = "old" // deleted once the new resource is in service
	RoleNew Role = "new" // created to replace the old one
)

// Carrier is when marks can be written on resources of a kind.
type Carrier int

// The carriers.
const (
	Anytime  Carrier = iota // marks can be written and repaired at any time
	AtCreate                // marks are fixed when the resource is created
	NoMarks                 // the system keeps no marks
)

// Marks are ovi's tags or labels as observed on a resource. Anyone with access can write them:
// they help to discover a resource, and the audit log alone proves ownership.
type Marks struct {
	Ref     Ref // with the stack that they name
	Owner   string
	Key     string // the idempotency key of its creation
	Blessed bool
	// Of marks that name nothing, because one of them is missing or wrong: the stack and the ref that
	// are written, and whether what makes them marks is missing. They are shown, and prove nothing.
	Stack, Text string
	Unmanaged   bool
}

// IsZero reports whether the marks name no resource.
func (m Marks) IsZero() bool { return m.Ref.IsZero() }

// Binding is what the audit log proves of a resource: that the system's ID was created or adopted
// under a ref. Bindings are kept after they end.
type Binding struct {
	Ref Ref    `json:"ref"`
	ID  string `json:"id"`
	// distinguishes it from another resource of the same ID; "" where IDs are never reused
	UID  string `json:"uid,omitempty"`
	Key  string `json:"key,omitempty"` // the idempotency key of its creation, or the one written at adoption
	Role Role   `json:"role,omitempty"`
	// Generation grows with each binding of the ref: in a shared store only the newest proves.
	Generation uint64 `json:"generation"`
	Former     bool   `json:"former,omitempty"` // replaced by another resource
	Ended      bool   `json:"ended,omitempty"`  // deleted, forgotten, moved, or deleted outside ovi
	// never bound: an operator dismissed this ID, so it blocks nothing and is never changed
	Dismissed bool `json:"dismissed,omitempty"`
	Adopted   bool `json:"adopted,omitempty"`
	// Seq is the record that proves it, in the audit log of Instance; At is the time of that record.
	Seq      uint64    `json:"seq"`
	Instance string    `json:"instance,omitempty"`
	At       time.Time `json:"at,omitzero"`
	// Origin is the record that created or adopted the resource, where it has got this name since,
	// OriginLog the instance whose log has it, and Since its time; 0: Seq is.
	Origin    uint64    `json:"origin,omitempty"`
	OriginLog string    `json:"origin_log,omitempty"`
	Since     time.Time `json:"since,omitzero"`
}

// Started is the record that created or adopted the resource, its time, and the instance whose log
// has it, whatever names the resource has had since.
func (b Binding) Started() (record uint64, at time.Time, log string) {
	if b.Origin != 0 {
		return b.Origin, b.Since, b.OriginLog
	}
	return b.Seq, b.At, b.Instance
}

// Live reports whether the binding permits changes to its resource.
func (b Binding) Live() bool { return !b.Ended && !b.Former && !b.Dismissed }

// Bind sets what was concluded of a resource, and the stack and name that it has by that.
func (o *Observed) Bind(w Ownership, stack, name string) {
	if o.Ownership, o.Ref.Stack = w, stack; o.Ref.Name != name {
		o.Natural, o.Ref.Name = o.Ref.Name, name
	}
}

// Rename gives a bound resource another name, and the location of that. Its natural name and its ownership stay.
func (o *Observed) Rename(to Ref) {
	natural := o.NaturalRef().Name
	o.Ref.Stack, o.Ref.Location, o.Ref.Name, o.Natural = to.Stack, to.Location, to.Name, ""
	if natural != to.Name {
		o.Natural = natural
	}
}

// Unbind removes the conclusions of Bind: what remains is what the provider reported.
func (o *Observed) Unbind() {
	o.Ref, o.Natural = o.NaturalRef(), ""
	o.Ownership, o.Role, o.Adopted = "", "", false
}

// NaturalRef is the ref that the provider reported.
func (o *Observed) NaturalRef() Ref {
	r := o.Ref.Bare()
	if o.Natural != "" {
		r.Name = o.Natural
	}
	return r
}

// Aside reports whether it is the old resource of a replacement in progress and has given up its
// name.
func (o *Observed) Aside() bool { return o.Role == RoleOld && o.Natural != "" }

// Managed reports whether the audit log proves that the resource was created or adopted here.
func (o *Observed) Managed() bool { return o.Ownership == Proven }
