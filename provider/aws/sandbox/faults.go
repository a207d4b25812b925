package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// FaultKind names what goes wrong.
type FaultKind string

// The faults of real life.
const (
	Throttle    FaultKind = "throttle"    // refused for now: RequestLimitExceeded and its kin
	Unavailable FaultKind = "unavailable" // a 503, and nothing is done
	Lost        FaultKind = "lost"        // it is done, but the answer never arrives
	BadPage     FaultKind = "page"        // the Page-th page of a list fails with a 500
	Stale       FaultKind = "stale"       // what a call creates is invisible for Reads reads
	Denied      FaultKind = "denied"      // not allowed
	Slow        FaultKind = "slow"        // answered after Delay
	Refused     FaultKind = "refused"     // refused with Code, Message and Status
)

// Fault is a planned fault. It meets the calls whose service, action and region
// it names (empty or "*": any), lets the first After of them pass and then hits
// Times of them (0 means all). Counts are of this Cloud: another process starts at 0.
type Fault struct {
	Kind    FaultKind     `json:"kind"`
	Service string        `json:"service,omitempty"`
	Action  string        `json:"action,omitempty"`
	Region  string        `json:"region,omitempty"`
	After   int           `json:"after,omitempty"`
	Times   int           `json:"times,omitempty"`
	Page    int           `json:"page,omitempty"`
	Reads   int           `json:"reads,omitempty"`
	Delay   time.Duration `json:"-"`
	Millis  int           `json:"delay_ms,omitempty"` // Delay, in a file
	Code    string        `json:"code,omitempty"`
	Message string        `json:"message,omitempty"`
	Status  int           `json:"status,omitempty"`
}

// FaultsEnv is the environment variable that holds a JSON list of faults.
const FaultsEnv = "OVI_SANDBOX_FAULTS"

func faultsPath(state string) string { return state + ".faults.json" }

type faults struct {
	mu     sync.Mutex
	all    []*plannedFault
	unread map[string]int // kind/region/id to reads left
}

// Fault plans faults from now on.
func (c *Cloud) Fault(list ...Fault) error { return c.faults.add(list) }

// ClearFaults takes every planned fault back; what is unseen is seen again.
func (c *Cloud) ClearFaults() {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.all, c.faults.unread = nil, nil
}

// SaveFaults plans faults for every process that opens the file from now on;
// an empty list takes them back.
func SaveFaults(path string, list []Fault) error {
	if len(list) == 0 {
		if err := os.Remove(faultsPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sandbox: %w", err)
		}
		return nil
	}
	for i := range list {
		list[i].Millis = max(list[i].Millis, int(list[i].Delay.Milliseconds()))
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = os.WriteFile(faultsPath(path), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

func (f *faults) load(path string) error {
	if path != "" {
		text, err := budget.ReadFile(faultsPath(path), budget.Answer)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sandbox: %w", err)
		}
		if err := f.decode(text, faultsPath(path)); err != nil {
			return err
		}
	}
	return f.decode([]byte(os.Getenv(FaultsEnv)), FaultsEnv)
}

func (f *faults) decode(text []byte, from string) error {
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil
	}
	var list []Fault
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("sandbox: faults of %s: %w", from, err)
	}
	if err := f.add(list); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}

func (f *faults) add(list []Fault) error {
	known := []FaultKind{Throttle, Unavailable, Lost, BadPage, Stale, Denied, Slow, Refused}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range list {
		if !slices.Contains(known, one.Kind) {
			return fmt.Errorf("sandbox: unknown fault kind %q; use one of %v", one.Kind, known)
		}
		if one.Kind == BadPage {
			one.Page = max(one.Page, 1)
		}
		one.Delay = max(one.Delay, time.Duration(one.Millis)*time.Millisecond)
		f.all = append(f.all, &plannedFault{Fault: one})
	}
	return nil
}

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
			return &wire.Error{
				Status: 403, Code: "UnauthorizedOperation",
				Message: "You are not authorized to perform this operation.",
			}
		case "ssm":
			return &wire.Error{
				Status: 400, Code: "AccessDeniedException",
				Message: "You are not authorized to perform this operation.",
			}
		}
		return &wire.Error{Status: 403, Code: "AccessDenied", Message: "Access Denied"}
	case Unavailable:
		return &wire.Error{
			Status: 503, Code: "ServiceUnavailable",
			Message: "The service is unavailable. Please try again shortly.",
		}
	case BadPage:
		return &wire.Error{
			Status: 500, Code: "InternalFailure",
			Message: "The request processing has failed because of an unknown error.",
		}
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
