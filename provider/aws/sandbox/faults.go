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
// Times of them (0: all). Counts are of this Cloud: another process starts at 0.
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
		text, err := os.ReadFile(faultsPath(path))
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
