package check_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/cmd/edge/simulate/check"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// came are events of one node with these numbers; a number below 0 is a gap up to it.
func came(numbers ...int) (out []link.Event) {
	for _, n := range numbers {
		e := link.Event{Site: "berlin", Node: "n1", Incarnation: "i", Seq: uint64(max(n, -n)), Deployment: "web"}
		if n < 0 {
			e.Gap = 1
		}
		out = append(out, e)
	}
	return out
}

// TestEachBreachIsFound: an event that is lost, doubled or out of order, a request that is ended twice, a container that
// was created twice or for nothing, and what does not run as configured; and nothing is found where all is in order.
func TestEachBreachIsFound(t *testing.T) {
	t.Parallel()
	origin := link.Origin{Site: "berlin", Node: "n1", Incarnation: "i"}
	twice := came(1, 2)
	for i := range twice {
		twice[i].Request, twice[i].Generation, twice[i].To = link.Install, 7, link.StatusInstalled
	}
	web := check.Container{Name: "ovi-web", Image: "web:2", Healthy: true}
	failing, old, other := web, web, web
	failing.Healthy, old.Image, other.Name = false, "web:1", "ovi-db"
	images := map[string]string{"ovi-web": "web:2"}
	for name, tc := range map[string]struct {
		found []string
		want  string // "": nothing
	}{
		"in order":             {append(check.Events(came(1, 2, 3)), check.Made(came(1, 2, 3), origin, 3)...), ""},
		"an event is missing":  {check.Events(came(1, 3)), "event 3 came after 1"},
		"an event came twice":  {check.Events(came(1, 2, 2)), "event 2 came after 2"},
		"an event came late":   {check.Events(came(2, 1)), "event 2 came after 0"},
		"a gap":                {check.Events(came(-4, 5)), "events are lost: 1 to 4"},
		"the last did not":     {check.Made(came(1, 2), origin, 3), "it made 3, and 2 have come"},
		"a request ends twice": {check.Events(twice), "request 7 for web is installed 2 times"},
		"one container":        {check.Created("n1", map[string]int{"a": 1}, map[string]bool{"a": true}), ""},
		"two containers":       {check.Created("n1", map[string]int{"a": 2}, map[string]bool{"a": true}), "created 2 containers for action a"},
		"for nothing":          {check.Created("n1", map[string]int{"b": 1}, map[string]bool{"a": true}), "action b, which is not recorded"},
		"as configured":        {check.Rest("n1", []check.Container{web}, images), ""},
		"nothing runs":         {check.Rest("n1", nil, images), "n1 runs ovi-web of []"},
		"unhealthy":            {check.Rest("n1", []check.Container{failing}, images), "configured is web:2"},
		"another version":      {check.Rest("n1", []check.Container{old}, images), "configured is web:2"},
		"one too many":         {check.Rest("n1", []check.Container{web, other}, images), "n1 has 2 containers, configured are 1"},
	} {
		got := strings.Join(tc.found, "\n")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: found %q, want %q", name, got, tc.want)
		}
	}
}
