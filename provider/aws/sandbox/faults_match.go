package sandbox

import (
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type plannedFault struct {
	Fault
	met, hit int
}

// planned is what the faults have in store for one call.
type planned struct {
	delay  time.Duration
	before error
	lost   bool
	stale  bool
	reads  int
	hide   func(core.Entity) bool
}

// match counts the call against every fault and gathers those that hit it.
func (f *faults) match(cl *wire.Call, kinds *core.Kinds) planned {
	f.mu.Lock()
	defer f.mu.Unlock()
	var p planned
	for _, one := range f.all {
		if one.meets(cl) {
			one.bear(cl, &p)
		}
	}
	if len(f.unread) > 0 && cl.Read() {
		p.hide = f.lagging(kinds)
	}
	return p
}

func (one *plannedFault) meets(cl *wire.Call) bool {
	is := func(want, got string) bool { return want == "" || want == "*" || want == got }
	if !is(one.Service, cl.Service) || !is(one.Action, cl.Action) || !is(one.Region, cl.Region) {
		return false
	}
	if one.Kind == BadPage && one.Page != wire.PageOf(cl) {
		return false
	}
	one.met++
	if one.met <= one.After || one.Times > 0 && one.hit >= one.Times {
		return false
	}
	one.hit++
	return true
}

func (one *plannedFault) bear(cl *wire.Call, p *planned) {
	switch one.Kind {
	case Slow:
		p.delay = max(p.delay, one.Delay)
	case Lost:
		p.lost = true
	case Stale:
		p.stale, p.reads = true, max(one.Reads, 1)
	default:
		e := faultAnswer(one.Kind, cl.Service)
		if one.Code != "" {
			e.Code = one.Code
		}
		if one.Message != "" {
			e.Message = one.Message
		}
		if one.Status != 0 {
			e.Status = one.Status
		}
		p.before = e
	}
}

// faultAnswer spells a fault as the service spells it ("Error codes" pages of
// EC2, RDS, S3, STS and Systems Manager).
func faultAnswer(kind FaultKind, service string) *wire.Error {
	switch kind {
	case Throttle:
		switch service {
		case "s3":
			return &wire.Error{Status: 503, Code: "SlowDown", Message: "Please reduce your request rate."}
		case "ec2":
			return &wire.Error{Status: 503, Code: "RequestLimitExceeded", Message: "Request limit exceeded."}
		case "ssm":
			return &wire.Error{Status: 400, Code: "ThrottlingException", Message: "Rate exceeded"}
		}
		return &wire.Error{Status: 400, Code: "Throttling", Message: "Rate exceeded"}
	case Denied:
		switch service {
		case "ec2":
			return &wire.Error{Status: 403, Code: "UnauthorizedOperation", Message: "You are not authorized to perform this operation."}
		case "ssm":
			return &wire.Error{Status: 400, Code: "AccessDeniedException", Message: "You are not authorized to perform this operation."}
		}
		return &wire.Error{Status: 403, Code: "AccessDenied", Message: "Access Denied"}
	case Unavailable:
		return &wire.Error{Status: 503, Code: "ServiceUnavailable", Message: "The service is unavailable. Please try again shortly."}
	case BadPage:
		return &wire.Error{Status: 500, Code: "InternalFailure", Message: "The request processing has failed because of an unknown error."}
	default:
		return &wire.Error{Status: 400, Code: "OperationNotPermitted", Message: "You can't perform this operation."}
	}
}

// conceal makes what a call has just made unseen for a number of reads
// ("Eventual consistency in the Amazon EC2 API").
func (f *faults) conceal(ops []core.Op, reads int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unread == nil {
		f.unread = map[string]int{}
	}
	for _, o := range ops {
		if o.Fresh && o.Kind != "token" {
			f.unread[o.Kind+"/"+o.Region+"/"+o.Put.Meta().ID] = reads
		}
	}
}

// lagging hides what is still unseen from one read and counts that read once
// for each resource that it would have listed.
func (f *faults) lagging(kinds *core.Kinds) func(core.Entity) bool {
	asked := map[string]bool{}
	return func(e core.Entity) bool {
		key := kinds.Of(e).Name + "/" + e.Meta().Region + "/" + e.Meta().ID
		if hidden, known := asked[key]; known {
			return hidden
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		left := f.unread[key]
		if left > 0 {
			f.unread[key]--
		}
		asked[key] = left > 0
		return left > 0
	}
}
