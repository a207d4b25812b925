package engine_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// siteLoop is a loop over a site whose configuration changes.
type siteLoop struct {
	*yard
	*nodes
	config atomic.Pointer[[]resource.Intent]
	stop   func() error
}

// atSite runs a test with the loop of a site, on virtual time.
func atSite(t *testing.T, do func(s *siteLoop)) {
	synctest.Test(t, func(t *testing.T) {
		s := &siteLoop{}
		s.yard, s.nodes = newNodes(t)
		s.commit(appOn("1", rules.Update{}, "n1", "n2", "n3"))
		s.start()
		time.Sleep(time.Minute)
		do(s)
		_ = s.stop()
		s.replays()
		s.yard.stop()
	})
}

func (s *siteLoop) commit(in []resource.Intent) { s.config.Store(&in) }

func (s *siteLoop) start() {
	stacks := []loop.Stack{{Name: stack, Load: func(context.Context) ([]resource.Intent, error) { return *s.config.Load(), nil }}}
	s.stop = s.loops(stacks, loop.RunOptions{Interval: 10 * time.Second, Apply: true, Tell: func(loop.Cycle) {}, Do: engine.ApplyOptions{Tries: 1}})
}

// want checks what runs on n1, n2 and n3, and what was asked for since a number of requests.
func (s *siteLoop) want(since int, runs []string, asked ...string) {
	s.t.Helper()
	if diff := cmp.Diff(runs, []string{s.version("n1"), s.version("n2"), s.version("n3")}); diff != "" {
		s.t.Errorf("versions (-want +got):\n%s", diff)
	}
	got := slices.Sorted(slices.Values(s.asked[since:]))
	if diff := cmp.Diff(asked, got); diff != "" && len(asked)+len(got) > 0 {
		s.t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// The defects are those of another orchestrator of sites; the numbers are those of the list of them that
// this one was designed against.

// TestDefect1_WhatIsRemovedFromTheConfigurationIsDeleted on its nodes, and nothing else is.
func TestDefect1_WhatIsRemovedFromTheConfigurationIsDeleted(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		before := len(s.asked)
		in := appOn("1", rules.Update{}, "n1", "n3")
		in[0].Scopes = append(in[0].Scopes, nodeRef("n2").Scope())
		s.commit(in)
		time.Sleep(time.Minute)
		s.want(before, []string{"1", "", "1"}, "n2 "+leave)
	})
}

// TestDefect2_EachActionIsDoneOnceOnItsOwnNode, however many nodes are alive.
func TestDefect2_EachActionIsDoneOnceOnItsOwnNode(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		s.want(0, []string{"1", "1", "1"}, "n1 1", "n2 1", "n3 1")
		in := appOn("1", rules.Update{}, "n1", "n2", "n3")
		in[0].Resources[1].Attrs = attrs("version", resource.String("2"))
		s.commit(in)
		time.Sleep(time.Minute)
		s.want(3, []string{"1", "2", "1"}, "n2 2")
	})
}

// TestDefect3_RetriesAreBoundedAndEndInARollback: see TestABadVersionIsTriedThreeTimesAndGoesBack for the pauses.
func TestDefect3_RetriesAreBoundedAndEndInARollback(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		s.commit(appOn("bad", rules.Update{Rollback: true}, "n1", "n2", "n3"))
		time.Sleep(time.Hour)
		for _, node := range []string{"n1", "n2", "n3"} {
			if n := s.times(node, "bad"); n != 3 || s.version(node) != "1" {
				s.t.Errorf("%s was tried %d times, and runs %q", node, n, s.version(node))
			}
		}
	})
}

// TestDefect4_AReturningNodeIsActedOnWithoutACommit, and a dead one is seen as dead.
func TestDefect4_AReturningNodeIsActedOnWithoutACommit(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		_ = s.Do(s.t.Context(), func() error { s.offline["n2"] = time.Now(); return nil })
		s.commit(appOn("2", rules.Update{}, "n1", "n2", "n3"))
		time.Sleep(time.Minute)
		s.want(3, []string{"2", "1", "2"}, "n1 2", "n3 2")
		if p := s.plan(*s.config.Load()); len(p.Plan.Offline) != 1 {
			s.t.Errorf("offline: %v", p.Plan.Offline)
		}
		_ = s.Do(s.t.Context(), func() error { clear(s.offline); return nil })
		time.Sleep(time.Minute)
		s.want(5, []string{"2", "2", "2"}, "n2 2")
	})
}

// TestDefect6_WhatWasStoppedByHandIsStarted: what counts is what runs, not what was once done.
func TestDefect6_WhatWasStoppedByHandIsStarted(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		_ = s.Do(s.t.Context(), func() error { s.ByName(nodeRef("n3")).Health = resource.Stopped; return nil })
		time.Sleep(time.Minute)
		s.want(3, []string{"1", "1", "1"}, "n3 ")
	})
}

// TestDefect10_AFreshOrchestratorDeploysWhatIsConfiguredAlready, without waiting for a change.
func TestDefect10_AFreshOrchestratorDeploysWhatIsConfiguredAlready(t *testing.T) {
	atSite(t, func(s *siteLoop) {
		_ = s.stop()
		s.commit(appOn("2", rules.Update{}, "n1", "n2", "n3")) // before it starts
		s.start()
		time.Sleep(time.Minute)
		s.want(3, []string{"2", "2", "2"}, "n1 2", "n2 2", "n3 2")
	})
}
