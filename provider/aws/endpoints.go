package aws

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// endpoints are the custom endpoints that replace AWS's own. It is safe for any number of goroutines.
type endpoints struct {
	mu  sync.Mutex
	all []string
	arn string // whom AWS takes ovi for
}

// calls notes the endpoint that a client was configured with, by AWS_ENDPOINT_URL, the variable of one
// service, or a profile; nil means AWS's own.
func (p *Provider) calls(endpoint *string) {
	if endpoint == nil || *endpoint == "" {
		return
	}
	text := "an endpoint that is not a URL"
	if u, err := url.Parse(*endpoint); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", "" // may have secrets
		text = u.String()
		// Requests contain passwords and user data, which others on the way could read.
		if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" &&
			(ip == nil || !ip.IsLoopback()) {
			text += ", which is not encrypted"
		}
	}
	p.called.mu.Lock()
	defer p.called.mu.Unlock()
	if !slices.Contains(p.called.all, text) {
		p.called.all = append(p.called.all, text)
		slices.Sort(p.called.all)
	}
}

// Describe implements provider.Describer: it names an account only where calls go to another endpoint than
// AWS's own, so that no plan for one looks like a plan for the other.
func (p *Provider) Describe(location string) string {
	p.called.mu.Lock()
	defer p.called.mu.Unlock()
	if len(p.called.all) == 0 {
		return ""
	}
	account, _ := api.AccountAndRegion(location)
	return "AWS account " + account + " at " + strings.Join(p.called.all, " and ")
}

// Caller implements provider.Caller: the ARN of the user or role whose credentials ovi has.
func (p *Provider) Caller() string {
	p.called.mu.Lock()
	defer p.called.mu.Unlock()
	return p.called.arn
}
