package awsfake

// The IDs of load balancers, target groups and listeners are their ARNs.

type loadBalancer struct {
	base
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Scheme  string   `json:"scheme"`
	VPC     string   `json:"vpc"`
	Subnets []string `json:"subnets"`
	Groups  []string `json:"groups,omitempty"`
	Life    life     `json:"life"`
}

func (*loadBalancer) kind() string    { return kindBalancer }
func (b *loadBalancer) clone() entity { c := *b; return &c }

type targetGroup struct {
	base
	Name     string            `json:"name"`
	VPC      string            `json:"vpc"`
	Port     int               `json:"port"`
	Protocol string            `json:"protocol"`
	Target   string            `json:"target"`
	Health   map[string]string `json:"health"`
}

func (*targetGroup) kind() string    { return kindTargets }
func (t *targetGroup) clone() entity { c := *t; return &c }

type listener struct {
	base
	Balancer    string            `json:"balancer"`
	Port        int               `json:"port"`
	Protocol    string            `json:"protocol"`
	Certificate string            `json:"certificate,omitempty"`
	Targets     string            `json:"targets,omitempty"`
	Redirect    map[string]string `json:"redirect,omitempty"`
}

func (*listener) kind() string    { return kindListener }
func (l *listener) clone() entity { c := *l; return &c }

func (l *listener) parent() string { return l.Balancer }
