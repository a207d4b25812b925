package edge

import (
	"testing"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// TestAVersionThatFailedStaysVisible: the version before it is restarted or created again, and the table still has the
// failure, until another version is installed (findings, edge 5).
func TestAVersionThatFailedStaysVisible(t *testing.T) {
	t.Parallel()
	on := func(to link.Status, by link.Verb, version string) link.Event {
		return link.Event{Site: "berlin", Node: "n1", Deployment: "app", To: to, Request: by, Version: version}
	}
	installed, bad := on(link.StatusInstalled, link.Install, "1"), on(link.StatusFailed, link.Update, "1")
	bad.Requested = "2" // version 1 runs again
	gone := on(link.StatusFailed, link.Update, "2")
	for name, c := range map[string]struct {
		after []link.Event
		want  string
	}{
		"it failed":                          {nil, "1, 2 failed"},
		"it failed, and nothing runs":        {[]link.Event{gone}, "2"},
		"the one before came back":           {[]link.Event{gone, installed}, "1, 2 failed"},
		"the one before was restarted":       {[]link.Event{on(link.StatusFailed, "", "1"), on(link.StatusRestarted, link.Restart, "1")}, "1, 2 failed"},
		"the one before was created again":   {[]link.Event{on(link.StatusDeleted, "", "1"), installed}, "1, 2 failed"},
		"it was installed at last":           {[]link.Event{on(link.StatusInstalled, link.Update, "2")}, "2"},
		"a newer one was installed":          {[]link.Event{on(link.StatusInstalled, link.Update, "3")}, "3"},
		"the deployment was deleted":         {[]link.Event{on(link.StatusDeleted, link.Delete, "1"), on(link.StatusInstalled, link.Install, "1")}, "1"},
		"the one before failed by itself":    {[]link.Event{on(link.StatusInstalled, link.Update, "3"), on(link.StatusFailed, "", "3")}, "3"},
		"a restart of the one before failed": {[]link.Event{on(link.StatusFailed, link.Restart, "1")}, "1, 2 failed"},
	} {
		all := statusesOf(append([]link.Event{installed, bad}, c.after...))
		if len(all) != 1 || all[0].version() != c.want {
			t.Errorf("%s: %q, want %q", name, all[0].version(), c.want)
		}
	}
}
