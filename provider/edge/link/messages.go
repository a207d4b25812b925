package link

import (
	"reflect"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Verb is what a node is asked to do.
type Verb string

// The verbs.
const (
	Install Verb = "InstallRequest"
	Update  Verb = "UpdateRequest"
	Delete  Verb = "DeleteRequest"
	Restart Verb = "RestartRequest"
)

// Phase is how far a deployment has got on its node.
type Phase string

// The phases.
const (
	Pending    Phase = "pending"
	Installing Phase = "installing"
	Installed  Phase = "installed"
)

// FromNode is a frame of a node. One field is set.
type FromNode struct {
	Hello  *Hello  `json:"hello,omitempty"`
	Report *Report `json:"report,omitempty"`
	Beat   *Beat   `json:"beat,omitempty"`
	Events []Event `json:"events,omitempty"`
	// Relayed are events that an orchestrator sends to the central one.
	Relayed []Relayed `json:"relayed,omitempty"`
}

// Hello is the first frame of a stream.
type Hello struct {
	Site string `json:"site"`
	Node string `json:"node"`
	// Held is the desired state that the node has; zero: nothing yet.
	Held Held `json:"held,omitzero"`
	// Incarnation is its outbox; "" means that it has none.
	Incarnation string `json:"incarnation,omitempty"`
}

// Beat is a sign of life: nothing has changed since the last report of the stream.
type Beat struct {
	Seen uint64 `json:"seen"` // as of a report
}

// Report is everything that runs on a node, and what it is doing. It is sent when the stream opens, when
// something changed, and in between as a sign of life.
type Report struct {
	// Seen is the newest request of this stream that the node had read when it observed.
	Seen uint64 `json:"seen"`
	// Open are the requests, of any stream, that were not finished then.
	Open  []string `json:"open,omitempty"`
	Items []Item   `json:"items,omitempty"`
	// Last are the last requests of this start of the node and their results, by deployment. They say nothing about
	// the items: a deployment that a request could not update goes on.
	Last map[string]resource.Request `json:"last,omitempty"`
	// Error: what runs could not be observed, and why.
	Error string `json:"error,omitempty"`
}

// Same reports that another report says the same but for what was seen.
func (r *Report) Same(other *Report) bool {
	a, b := *r, *other
	a.Seen, b.Seen = 0, 0
	return reflect.DeepEqual(a, b)
}

// Item is one deployment on a node.
type Item struct {
	Name     string          `json:"name"`
	Instance string          `json:"instance"` // the key of the request that installed it
	Marks    Marks           `json:"marks"`
	Spec     Spec            `json:"spec"` // what runs, not what was asked for
	Phase    Phase           `json:"phase"`
	Health   resource.Health `json:"health"`
	Message  string          `json:"message,omitempty"`
	Image    string          `json:"image,omitempty"` // the ID of the image that runs
	Since    time.Time       `json:"since,omitzero"`
}

// Marks are the marks of a deployment, which its node keeps with it.
type Marks struct {
	Ref     string `json:"ref"`
	Stack   string `json:"stack"`
	Owner   string `json:"owner"`
	Key     string `json:"key"`
	Blessed bool   `json:"blessed,omitempty"`
}

// Spec is what a node runs.
type Spec struct {
	Version string            `json:"version"`
	Image   string            `json:"image"`
	Command []string          `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"` // of the node, by name: the file in the container
	Ports   []Port            `json:"ports,omitempty"`
	Check   *Check            `json:"health_check,omitempty"`
}

// Port is a port of the container that the node publishes.
type Port struct {
	Container int64 `json:"container"`
	Host      int64 `json:"host"`
}

// Check is a health check: a command in the container.
type Check struct {
	Command  []string `json:"command"`
	Interval int64    `json:"interval"`
	Timeout  int64    `json:"timeout"`
	Start    int64    `json:"start"`
	Retries  int64    `json:"retries"`
}

// EnrollRequest asks for a certificate: with a token, or for "" with the certificate of the connection.
type EnrollRequest struct {
	Token string `json:"token,omitempty"`
	CSR   []byte `json:"csr"`
}

// EnrollReply is a certificate, and that of the authority that signed it.
type EnrollReply struct {
	Cert      []byte `json:"cert"`
	Authority []byte `json:"authority"`
}

// ToNode is a frame to a node: what it is to run from now on, and the request that follows from it.
type ToNode struct {
	Desired *Signed  `json:"desired,omitempty"`
	Request *Request `json:"request,omitempty"`
	// Ack is the newest event that is kept here; the node need not keep it any more. A stream begins with
	// one.
	Ack *uint64 `json:"ack,omitempty"`
	// Orders are all orders of the central orchestrator, for the orchestrator of a site.
	Orders *provider.Orders `json:"orders,omitempty"`
}

// Request is one action towards the desired state of a node. The same ID twice is one action.
type Request struct {
	Seq        uint64 `json:"seq"` // of the stream, from 1
	ID         string `json:"id"`
	Verb       Verb   `json:"verb"`
	Name       string `json:"name"`
	Generation uint64 `json:"generation"` // of the desired state that it is from
}
