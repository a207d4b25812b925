package podman

import (
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// period is that of CPU quotas, in microseconds.
const period = 100_000

// limits are resources in the units of Podman; 0 is not set.
type limits struct{ quota, shares, memory, reservation int64 }

func limitsOf(v resource.Value) (l limits) {
	a, _ := v.(resource.Attrs)
	upper, lower := a.Object("limits"), a.Object("requests")
	if s, ok := upper.Text("cpu"); ok {
		milli, _ := milliCPU(s)
		l.quota = milli * period / 1000
	}
	if s, ok := lower.Text("cpu"); ok {
		milli, _ := milliCPU(s)
		l.shares = max(2, milli*1024/1000)
	}
	if s, ok := upper.Text("memory"); ok {
		l.memory, _ = memoryBytes(s)
	}
	if s, ok := lower.Text("memory"); ok {
		l.reservation, _ = memoryBytes(s)
	}
	return l
}

// resources compares the limits in the units of Podman.
func (f *facts) resources(want resource.Value) resource.Value {
	h := f.HostConfig
	have := limits{quota: h.CPUQuota, shares: h.CPUShares, memory: h.Memory, reservation: h.MemoryReservation}
	if h.CPUPeriod != 0 && h.CPUPeriod != period {
		have.quota = h.CPUQuota * period / h.CPUPeriod
	}
	if have.quota <= 0 {
		have.quota = h.NanoCPUs / (1e9 / period)
	}
	if have == limitsOf(want) {
		return want
	}
	return have.attributes()
}

func (l limits) attributes() resource.Value {
	amounts := func(milli, bytes int64) resource.Attrs {
		out := map[string]resource.Value{}
		if milli > 0 {
			out["cpu"] = resource.String(canonicalCPU(strconv.FormatInt(milli, 10) + "m"))
		}
		if bytes > 0 {
			out["memory"] = resource.String(canonicalMemory(strconv.FormatInt(bytes, 10)))
		}
		return resource.AttrsOf(out)
	}
	out := map[string]resource.Value{}
	if a := amounts(l.quota*1000/period, l.memory); len(a) > 0 {
		out["limits"] = a
	}
	if a := amounts(l.shares*1000/1024, l.reservation); len(a) > 0 {
		out["requests"] = a
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}

// spec is what is sent when a container is created; nil if nothing is set.
func (l limits) spec() *libpod.Resources {
	if l == (limits{}) {
		return nil
	}
	r := &libpod.Resources{}
	if l.memory != 0 || l.reservation != 0 {
		r.Memory = &libpod.Memory{Limit: set(l.memory), Reservation: set(l.reservation)}
	}
	if l.quota != 0 || l.shares != 0 {
		r.CPU = &libpod.CPU{Quota: set(l.quota)}
		if l.quota != 0 {
			p := uint64(period)
			r.CPU.Period = &p
		}
		if l.shares != 0 {
			s := uint64(l.shares)
			r.CPU.Shares = &s
		}
	}
	return r
}

func set(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// checkOf is a health check as it is sent: with all of its numbers, so that none is Podman's.
func checkOf(h resource.Attrs) *libpod.Healthcheck {
	if len(h) == 0 {
		return nil
	}
	number := func(name string, otherwise int64) int64 {
		if n, ok := h.Int(name); ok {
			return n
		}
		return otherwise
	}
	const second = 1_000_000_000
	return &libpod.Healthcheck{
		Test: testOf(h), Interval: number("interval_seconds", 30) * second, Timeout: number("timeout_seconds", 30) * second,
		StartPeriod: number("start_period_seconds", 0) * second, Retries: int(number("retries", 3)),
	}
}

func testOf(h resource.Attrs) []string {
	if get := h.Object("http_get"); get != nil {
		port, _ := get.Int("port")
		path, _ := get.Text("path")
		url := "http://127.0.0.1:" + strconv.FormatInt(port, 10) + path
		return []string{"CMD-SHELL", "if command -v wget >/dev/null; then wget -q -O /dev/null " + quoted(url) + "; else curl -fsS -o /dev/null " + quoted(url) + "; fi"}
	}
	return append([]string{"CMD"}, h.Texts("command")...)
}

func quoted(s string) string { return "'" + s + "'" }

// healthcheck: one that the image brings is not configured.
func (f *facts) healthcheck(want resource.Value) resource.Value {
	said, _ := want.(resource.Attrs)
	have, sent := f.Config.Healthcheck, checkOf(said)
	switch {
	case sent == nil && (f.ours || have == nil):
		return nil
	case have == nil:
		return nil
	case sent != nil && slices.Equal(sent.Test, have.Test) && sent.Interval == have.Interval && sent.Timeout == have.Timeout &&
		sent.StartPeriod == have.StartPeriod && sent.Retries == have.Retries:
		return want
	}
	const second = 1_000_000_000
	return resource.NewAttrs(
		resource.Attr{Name: "type", Value: resource.String("exec")}, resource.Attr{Name: "command", Value: resource.TextList(have.Test)},
		resource.Attr{Name: "interval_seconds", Value: resource.Int(have.Interval / second)}, resource.Attr{Name: "timeout_seconds", Value: resource.Int(have.Timeout / second)},
		resource.Attr{Name: "start_period_seconds", Value: resource.Int(have.StartPeriod / second)}, resource.Attr{Name: "retries", Value: resource.Int(have.Retries)})
}
