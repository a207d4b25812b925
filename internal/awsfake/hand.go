package awsfake

import (
	"errors"
	"net/url"
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

// hand makes changes by calling the same handlers that requests reach.
type hand struct {
	tx      *tx
	do      func(cl *call) (any, error)
	furnish func(region string) // gives a region what a new account has there
}

// handled is an entity of which people change more than its tags. What it returns is what was done, empty where the
// words for all kinds fit; errCannot is for what its kind cannot do.
type handled interface {
	byHand(h hand, b Breakage) (string, error)
}

var errCannot = errors.New("sandbox: the kind cannot do that")

// copied is an entity that people copy: the parameters of a call that creates another one.
type copied interface {
	copyForm(h hand, b Breakage) map[string]string
}

// called is an entity with a name beside its ID and its tags.
type called interface{ calledName() string }

// finished is an entity that nobody changes by hand any more.
type finished interface{ over() bool }

// call runs a handler as if a request had come.
func (h hand) call(region, service, action string, form map[string]string) error {
	values := url.Values{}
	for k, v := range form {
		values.Set(k, v)
	}
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	_, err = h.do(&call{Service: service, Region: region, Action: action, p: p, rest: &restCall{Bucket: form["Bucket"]}})
	return err
}

// ordered is the Order of a kind that a call creates, with the parameters that people give it where they do not care.
func ordered(service, action string, usual map[string]string) func(hand, string, map[string]string) error {
	return func(h hand, region string, form map[string]string) error {
		all := map[string]string{}
		for _, some := range []map[string]string{usual, form} {
			for k, v := range some {
				all[k] = v
			}
		}
		return h.call(region, service, action, all)
	}
}
