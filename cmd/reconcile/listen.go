package reconcile

import (
	"time"

	"github.com/ovi-project/ovi/cmd/serve"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/storage"
)

// listen serves a running loop, until the returned function is called. Without --listen it does
// nothing.
func (k *runner) listen() (func(), error) {
	if k.given.listen == "" {
		return func() {}, nil
	}
	loop := &serve.Loop{
		Wake: k.wakes.Wake, Failing: k.loops.Ready, Counted: k.counted, Record: k.record, Now: k.Now, Log: k.Log,
		Closed: func() string {
			if why := k.closed.Load(); why != nil {
				return *why
			}
			return ""
		},
		Stuck: k.watch.Stuck, Flights: func() (int, time.Time) {
			c := k.counters.Counts()
			return c.Running, c.Oldest
		},
	}
	return serve.Listener{
		Address: k.given.listen, CertFile: k.given.tlsCert, KeyFile: k.given.tlsKey, TokenFile: k.given.tokenFile,
		Handler: loop.Routes(), Out: k.Out,
	}.Listen(k)
}

// counted is what this process counts.
func (k *runner) counted() []metrics.Family {
	return append(append(k.loops.Families(), k.counters.Counts().Families()...),
		metrics.Single("ovi_interval_seconds", "Time between the starts of two cycles.", k.options.Interval.Seconds()),
		metrics.Family{
			Name: "ovi_build_info", Help: "The version of ovi.", Type: metrics.Gauge,
			Samples: []metrics.Sample{{Labels: metrics.Labels{"version", k.Version}, Value: 1}},
		},
	)
}

// record is the data directory, while it is open.
func (k *runner) record() (serve.Record, bool) {
	l := k.line.Load()
	if l == nil {
		return serve.Record{}, false
	}
	return serve.Record{Ledger: l.Ledger, Claims: l.Claims}, true
}

// sharedStore is the store, while it is open.
func (k *runner) sharedStore() storage.Store {
	if l := k.line.Load(); l != nil {
		return l.Ledger.Claims()
	}
	return nil
}
