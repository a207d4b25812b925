package core

import (
	"errors"
	"net/url"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Breakage is a change that someone makes by hand, behind the back of whatever
// manages the resource. Resource is an id, a name, the value of the tag ovi:ref or its
// end (web-0, ec2/web-0). Creating needs none, but a Kind (ec2, ebs, vpc, subnet,
// security_group, rds, s3), a Region and a name in Value.
type Breakage struct {
	Do       string // stop, start, tag, untag, resize, delete, copy, create, mount, fail
	Resource string
	Kind     string // narrows Resource down; what to create
	Region   string // narrows Resource down; where to create, us-east-1 by default
	Key      string // of the tag
	Value    string // of the tag; the new size; the name of what is created
}

// Hand makes changes by calling the same handlers that requests reach.
type Hand struct {
	Tx      *Tx
	Do      func(cl *wire.Call) (any, error)
	Furnish func(region string) // gives a region what a new account has there
}

// Handled is an entity of which people change more than its tags. What it returns is what was done, empty where the
// words for all kinds fit; errCannot is for what its kind cannot do.
type Handled interface {
	ByHand(h Hand, b Breakage) (string, error)
}

// ErrCannot is returned by ByHand for what a kind cannot do.
var ErrCannot = errors.New("sandbox: the kind cannot do that")

// Copied is an entity that people copy: the parameters of a call that creates another one.
type Copied interface {
	CopyForm(h Hand, b Breakage) map[string]string
}

// Called is an entity with a name beside its ID and its tags.
type Called interface{ CalledName() string }

// Finished is an entity that takes no more changes by hand.
type Finished interface{ Over() bool }

// Call runs a handler as if a request had come.
func (h Hand) Call(region, service, action string, form map[string]string) error {
	values := url.Values{}
	for k, v := range form {
		values.Set(k, v)
	}
	p, err := wire.ParseParams(values)
	if err != nil {
		return err
	}
	_, err = h.Do(&wire.Call{
		Service: service, Region: region, Action: action, P: p,
		Rest: &wire.RestCall{Bucket: form["Bucket"]},
	})
	return err
}

// Ordered is the Order of a kind that a call creates, with the parameters that people give it where they do not care.
func Ordered(service, action string, usual map[string]string) func(Hand, string, map[string]string) error {
	return func(h Hand, region string, form map[string]string) error {
		all := map[string]string{}
		for _, some := range []map[string]string{usual, form} {
			for k, v := range some {
				all[k] = v
			}
		}
		return h.Call(region, service, action, all)
	}
}
