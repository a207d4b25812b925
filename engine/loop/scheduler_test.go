package loop

import (
	"testing"
	"time"
)

func TestTempo(t *testing.T) {
	tt := scheduler{interval: time.Minute}
	for _, x := range []struct {
		name               string
		failed, unfinished bool
		took               time.Duration
		chance             float64
		want               time.Duration
	}{
		{"a cycle that took no time", false, false, 0, 0.5, time.Minute},
		{"as early as chance has it", false, false, 0, 0, 54 * time.Second},
		{"as late as chance has it", false, false, 0, 1, 66 * time.Second},
		{"from beginning to beginning", false, false, 20 * time.Second, 0.5, 40 * time.Second},
		{"one that took longer than the interval", false, false, time.Hour, 0.5, time.Second},
		{"something is left", false, true, 0, 0.5, 6 * time.Second},
		{"the first failure", true, false, 0, 0.5, time.Second},
		{"the second", true, false, 0, 0.5, 2 * time.Second},
		{"the third", true, false, 0, 0.5, 4 * time.Second},
		{"well again", false, false, 0, 0.5, time.Minute},
		{"the next failure is a first one", true, false, 0, 0.5, time.Second},
	} {
		if got := tt.next(x.failed, x.unfinished, x.took, x.chance); got != x.want {
			t.Errorf("%s: a pause of %s, want %s", x.name, got, x.want)
		}
	}
	for range 20 {
		if got := tt.next(true, false, 0, 0.5); got > time.Minute {
			t.Fatalf("failures are %s apart: longer than the interval", got)
		}
	}
}
