package loop

import (
	"testing"
	"time"
)

func TestScheduler(t *testing.T) {
	tt := scheduler{interval: time.Minute}
	for _, x := range []struct {
		name               string
		failed, unfinished bool
		took               time.Duration
		chance             float64
		want               time.Duration
	}{
		{"an instant cycle", false, false, 0, 0.5, time.Minute},
		{"the earliest", false, false, 0, 0, 54 * time.Second},
		{"the latest", false, false, 0, 1, 66 * time.Second},
		{"from start to start", false, false, 20 * time.Second, 0.5, 40 * time.Second},
		{"longer than the interval", false, false, time.Hour, 0.5, time.Second},
		{"unfinished", false, true, 0, 0.5, 6 * time.Second},
		{"the first failure", true, false, 0, 0.5, time.Second},
		{"the second failure", true, false, 0, 0.5, 2 * time.Second},
		{"the third failure", true, false, 0, 0.5, 4 * time.Second},
		{"success", false, false, 0, 0.5, time.Minute},
		{"a first failure again", true, false, 0, 0.5, time.Second},
	} {
		if got := tt.next(x.failed, x.unfinished, x.took, x.chance); got != x.want {
			t.Errorf("%s: a pause of %s, want %s", x.name, got, x.want)
		}
	}
	for range 20 {
		if got := tt.next(true, false, 0, 0.5); got > time.Minute {
			t.Fatalf("a pause of %s after a failure is longer than the interval", got)
		}
	}
}
