package faultrun

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// chaos injects faults, one on the store's side and two among the instances at a time.
type chaos struct {
	*site
	rng    *rand.Rand
	from   time.Time
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

// during is a random number of seconds between two, and n a random number below a bound.
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

// run injects faults until the time is over, ends them all and logs what there was.
func (s *site) torment(length time.Duration, seed uint64) *chaos {
	c := &chaos{site: s, rng: rand.New(rand.NewPCG(seed, 3)), from: time.Now(), until: time.Now().Add(length), counts: map[string]int{}}
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
	switch c.n(10) {
	case 0, 1:
		c.killed(p)
		p.kill(c.during(300*time.Millisecond, 2*c.ttl))
		c.say("instance killed", p.Name)
	case 2, 3:
		p.signal(stop)
		time.Sleep(c.during(c.ttl+time.Second, 2*c.ttl))
		p.signal(cont)
		c.say("instance stopped longer than the TTL", p.Name)
	case 4:
		c.cut(p, true, true, "instance cut off from the store")
	case 5:
		c.cut(p, false, true, "answers of the store to an instance dropped")
	case 6:
		c.cut(p, true, false, "what an instance sends to the store dropped")
	case 7:
		for range 2 + c.n(8) {
			p.cut(true, true)
			time.Sleep(c.during(50*time.Millisecond, 400*time.Millisecond))
			p.cut(false, false)
			time.Sleep(c.during(50*time.Millisecond, 800*time.Millisecond))
		}
		c.say("bursts of loss between an instance and the store", p.Name)
	case 8:
		p.cut(true, true) // no peer gets the end of its connections
		c.killed(p)
		p.kill(c.ttl)
		time.Sleep(c.during(c.ttl/2, c.ttl))
		p.cut(false, false)
		c.say("instance gone with its host", p.Name)
	case 9:
		p.signal(syscall.SIGTERM)
		c.say("instance drained and started again", p.Name)
	}
	if c.n(3) == 0 {
		wall := time.Duration(c.n(7200)-3600) * time.Second
		p.clock(wall, time.Duration(c.n(2))*c.ttl)
		c.say("clocks of an instance stepped", fmt.Sprint(p.Name, " ", wall))
		time.Sleep(time.Second)
		p.clock(wall, 0)
	}
}

// killed records, for the take-over times, that an instance is about to be killed.
func (c *chaos) killed(p *process) {
	if pid := p.pid(); pid != 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kills = append(c.kills, kill{time.Now(), pid})
	}
}

func (c *chaos) cut(p *process, there, back bool, what string) {
	p.cut(there, back)
	time.Sleep(c.during(c.ttl/2, 2*c.ttl))
	p.cut(false, false)
	c.say(what, p.Name)
}

func (c *chaos) member() {
	i := c.n(len(c.members))
	m, name := c.members[i], fmt.Sprint("m", i)
	switch c.n(6) {
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
		c.isolate(i, true, true, "member cut off from the others")
	case 3:
		out := c.n(2) == 0
		if !c.net.oneWay() {
			c.isolate(i, true, true, "member cut off from the others")
		} else if out {
			c.isolate(i, true, false, "what a member sends to the others dropped")
		} else {
			c.isolate(i, false, true, "what the others send to a member dropped")
		}
	case 4:
		other := c.members[(i+1)%len(c.members)]
		m.Pause()
		other.Pause()
		time.Sleep(c.during(time.Second, 6*time.Second))
		other.Continue()
		m.Continue()
		c.say("majority of the members stopped", name)
	default:
		time.Sleep(2 * time.Second) // the cluster has to get somewhere in between
	}
}

func (c *chaos) isolate(member int, out, in bool, what string) {
	c.net.isolate(member, out, in)
	time.Sleep(c.during(time.Second, 8*time.Second))
	c.net.isolate(member, false, false)
	c.say(what, fmt.Sprint("m", member))
}

// weather is what the sandbox and the users do.
func (c *chaos) weather() {
	switch c.n(5) {
	case 0:
		c.cloud.setLuck(0.05+0.1*float64(c.n(3)), time.Duration(c.n(400)+1)*time.Millisecond)
		c.say("answers of the cloud lost", "")
	case 1:
		if err := c.cloud.Fault(sandbox.Fault{Kind: sandbox.Throttle, Service: "ec2", After: c.n(20), Times: 5 + c.n(20)}); err != nil {
			c.Error(err)
		}
		c.say("burst of throttling", "")
	case 2:
		if err := c.cloud.Fault(sandbox.Fault{Kind: sandbox.Unavailable, Service: "ec2", After: c.n(20), Times: 1 + c.n(5)}); err != nil {
			c.Error(err)
		}
		c.say("burst of 503", "")
	case 3:
		c.configured.change()
		c.configured.write(c)
		c.say("configuration changed", "")
	case 4:
		// longer than a claim lives without its owner, and than several intervals
		c.cloud.setSlow(0.1+0.2*float64(c.n(2)), c.during(2*c.ttl, 4*c.ttl), []string{"", "DescribeVolumes"}[c.n(2)])
		c.say("answers of the cloud slow", "")
	}
}

var _ testing.TB = (*chaos)(nil)
