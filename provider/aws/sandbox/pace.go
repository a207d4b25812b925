package sandbox

import (
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Pace is the size and the refill a second of the token buckets that throttle
// requests. A zero bucket does not throttle. AWS publishes ("Request throttling for
// the Amazon EC2 API") 100 and 20 for reads, 1000 and 2 for instances to run; for
// changes it differs by call, 50 and 5 are typical.
type Pace struct {
	Read, ReadPerSecond     float64
	Change, ChangePerSecond float64
	Run, RunPerSecond       float64 // RunInstances, by instance
}

// pace throttles by API and region, each API evaluated alone. The buckets are
// this Cloud's own: other processes have theirs.
type pace struct {
	Pace
	mu      sync.Mutex
	buckets map[string]*allowance
}

type allowance struct {
	left float64
	at   time.Time
}

func (p *pace) take(cl *wire.Call, now time.Time) error {
	size, refill, cost := p.Change, p.ChangePerSecond, 1.0
	switch {
	case cl.Read():
		size, refill = p.Read, p.ReadPerSecond
	case cl.Action == "RunInstances":
		size, refill = p.Run, p.RunPerSecond
		if n, err := cl.P.Num("MaxCount", 1); err == nil {
			cost = max(float64(n), 1)
		}
	}
	if size <= 0 || p.spend(cl.Service+"."+cl.Action+"/"+cl.Region, size, refill, cost, now) {
		return nil
	}
	return faultAnswer(Throttle, cl.Service)
}

func (p *pace) spend(key string, size, refill, cost float64, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.buckets == nil {
		p.buckets = map[string]*allowance{}
	}
	b := p.buckets[key]
	if b == nil {
		b = &allowance{size, now}
		p.buckets[key] = b
	}
	b.left = min(size, b.left+refill*now.Sub(b.at).Seconds())
	b.at = now
	if b.left < cost {
		return false
	}
	b.left -= cost
	return true
}
