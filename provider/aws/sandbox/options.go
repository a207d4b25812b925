package sandbox

import (
	"time"
)

type options struct {
	clock    func() time.Time
	settle   time.Duration
	keepDead time.Duration
	pace     Pace
	seed     string
}

// SettleEnv is the environment variable that sets how long passing states last
// where the program does not say (a Go duration).
const SettleEnv = "OVI_SANDBOX_SETTLE"

// Option sets one property of a Cloud.
type Option func(*options)

// WithClock sets the clock; without it the cloud uses the system's.
func WithClock(now func() time.Time) Option { return func(o *options) { o.clock = now } }

// WithSettle sets how long each passing state lasts: pending, stopping,
// shutting-down, creating, modifying. AWS takes seconds to minutes, this cloud
// one second by default; zero means that only the answer of the
// changing call shows the passing state.
func WithSettle(d time.Duration) Option { return func(o *options) { o.settle = d } }

// WithKeepDead sets how long a terminated instance stays visible (AWS: about an
// hour, which is the default).
func WithKeepDead(d time.Duration) Option { return func(o *options) { o.keepDead = d } }

// WithPace turns request throttling on; without it nothing is throttled.
func WithPace(p Pace) Option { return func(o *options) { o.pace = p } }

// WithSeed makes the ids of a cloud in memory the same in every run.
func WithSeed(seed string) Option { return func(o *options) { o.seed = seed } }
