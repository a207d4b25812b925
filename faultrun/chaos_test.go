package faultrun

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/awsfake"
)

// chaos makes things go wrong, one on the store's side and two among the instances at a time.
type chaos struct {
	*site
	rng    *rand.Rand
	until  time.Time
	mu     sync.Mutex
	counts map[string]int
	kills  []kill
}

// kill is when an instance was killed that held claims, for the take-over times.
type kill struct {
	at  time.Time
	pid int
}

func (c *chaos) say(what, who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
	c.Logf("%s %s %s", time.Now().Format("15:04:05.000"), what, who)
}

// during is a number of seconds drawn between two, and n drawn below a bound.
func (c *chaos) during(from, to time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return from + time.Duration(c.rng.Int64N(int64(to-from)))
}

func (c *chaos) n(below int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.IntN(below)
}

// run makes faults until the time is over, heals everything and says what there was.
func (s *site) torment(length time.Duration, seed uint64) *chaos {
	c := &chaos{site: s, rng: rand.New(rand.NewPCG(seed, 3)), until: time.Now().Add(length), counts: map[string]int{}}
	var all sync.WaitGroup
	half := len(s.instances) / 2
	all.Go(func() { c.repeat(func() { c.instance(s.instances[c.n(half)]) }) })
	all.Go(func() { c.repeat(func() { c.instance(s.instances[half+c.n(len(s.instances)-half)]) }) })
	all.Go(func() { c.repeat(c.member) })
	all.Go(func() { c.repeat(c.weather) })
	all.Wait()
	s.heal()
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		s.Logf("%5d %s", c.counts[what], what)
	}
	return c
}

func (c *chaos) repeat(fault func()) {
	for {
		pause := c.during(500*time.Millisecond, 3*time.Second)
		if time.Now().Add(pause).After(c.until) {
			return
		}
		time.Sleep(pause)
		fault()
	}
}

func (c *chaos) instance(p *process) {
	switch c.n(7) {
	case 0, 1:
		p.mu.Lock()
		if p.cmd != nil {
			c.mu.Lock()
			c.kills = append(c.kills, kill{time.Now(), p.cmd.Process.Pid})
			c.mu.Unlock()
		}
		p.mu.Unlock()
		p.kill(c.during(300*time.Millisecond, 2*c.ttl))
		c.say("instance killed", p.Name)
	case 2, 3:
		p.signal(stop)
		time.Sleep(c.during(c.ttl+time.Second, 2*c.ttl))
		p.signal(cont)
		c.say("instance stopped longer than the TTL", p.Name)
	case 4:
		p.cut(true, true)
		time.Sleep(c.during(c.ttl/2, 2*c.ttl))
		p.cut(false, false)
		c.say("instance cut off from the store", p.Name)
	case 5:
		p.cut(false, true)
		time.Sleep(c.during(c.ttl/2, 2*c.ttl))
		p.cut(false, false)
		c.say("answers of the store to an instance held back", p.Name)
	case 6:
		wall := time.Duration(c.n(7200)-3600) * time.Second
		p.clock(wall, time.Duration(c.n(2))*c.ttl)
		c.say("clocks of an instance stepped", fmt.Sprint(p.Name, " ", wall))
		time.Sleep(time.Second)
		p.clock(wall, 0)
	}
}

func (c *chaos) member() {
	i := c.n(len(c.members))
	m, name := c.members[i], fmt.Sprint("m", i)
	switch c.n(4) {
	case 0:
		m.Kill()
		time.Sleep(c.during(time.Second, 6*time.Second))
		m.Restart(c)
		c.say("member killed and restarted", name)
	case 1:
		m.Pause()
		time.Sleep(c.during(time.Second, 6*time.Second))
		m.Continue()
		c.say("member stopped", name)
	case 2:
		c.isolate(i)
		time.Sleep(c.during(time.Second, 8*time.Second))
		c.isolate(-1)
		c.say("member cut off from the others", name)
	default:
		time.Sleep(2 * time.Second) // the cluster has to get somewhere in between
	}
}

// weather is what the cloud and the people do.
func (c *chaos) weather() {
	switch c.n(4) {
	case 0:
		c.cloud.setLuck(0.05+0.1*float64(c.n(3)), time.Duration(c.n(400)+1)*time.Millisecond)
		c.say("answers of the cloud lost", "")
	case 1:
		if err := c.cloud.Fault(awsfake.Fault{Kind: awsfake.Throttle, Service: "ec2", After: c.n(20), Times: 5 + c.n(20)}); err != nil {
			c.Error(err)
		}
		c.say("burst of throttling", "")
	case 2:
		if err := c.cloud.Fault(awsfake.Fault{Kind: awsfake.Unavailable, Service: "ec2", After: c.n(20), Times: 1 + c.n(5)}); err != nil {
			c.Error(err)
		}
		c.say("burst of 503", "")
	case 3:
		c.wishes.change()
		c.wishes.write(c)
		c.say("wishes changed", "")
	}
}

var _ testing.TB = (*chaos)(nil)
