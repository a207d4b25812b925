package edge_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// The defects are those of another orchestrator of sites, as in engine/sitedefects_test.go.

// TestDefect8_NoLoadIsReportedThatWasNotMeasured: no frame of a node has a load at all, and a sign of life says only
// which request the node has read.
func TestDefect8_NoLoadIsReportedThatWasNotMeasured(t *testing.T) {
	t.Parallel()
	if b, err := json.Marshal(link.FromNode{Beat: &link.Beat{Seen: 7}}); err != nil || string(b) != `{"beat":{"seen":7}}` {
		t.Errorf("a sign of life is %s, %v", b, err)
	}
	load, checked := regexp.MustCompile(`(?i)cpu|mem(ory)?$|load|usage|disk`), 0
	var check func(reflect.Type)
	check = func(x reflect.Type) {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Slice {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct || x.PkgPath() == "time" {
			return
		}
		for i := range x.NumField() {
			if checked++; load.MatchString(x.Field(i).Name) {
				t.Errorf("%s.%s: a node measures no load", x.Name(), x.Field(i).Name)
			}
			check(x.Field(i).Type)
		}
	}
	if check(reflect.TypeFor[link.FromNode]()); checked < 30 {
		t.Errorf("only %d fields were checked", checked)
	}
}

// TestDefect9_StrangersNeitherJoinNorCommand: an enrolment without a token or with an invented one is refused, a
// stream without a certificate is, and a node takes no command from an orchestrator of another authority.
func TestDefect9_StrangersNeitherJoinNorCommand(t *testing.T) {
	t.Parallel()
	s, other := newSecured(t), newSecured(t)
	for what, token := range map[string]string{"no token": "", "an invented token": "aaaa." + s.authority.Hash()} {
		n := s.node(t)
		if err := n.Enroll(t.Context(), token, s.sign); err == nil || n.Enrolled() {
			t.Errorf("%s: enrolled, %v", what, err)
		}
	}
	known := s.enrolled(t, "berlin/n1")
	c, _, err := known.Config()
	if err != nil {
		t.Fatal(err)
	}
	anonymous := c.Clone()
	anonymous.Certificates = nil
	if _, err := s.speak(t, credentials.NewTLS(anonymous), "berlin/n1"); err == nil {
		t.Error("a stream without a certificate is served")
	}
	if s.counts(t, "berlin/n1") {
		t.Error("a report without a certificate counts")
	}
	if conn, err := other.speak(t, s.creds(t, known), "berlin/n1"); err == nil {
		f, _ := conn.Recv()
		t.Errorf("another orchestrator commands the node: %+v", f)
	}
}

// counts reports that a report of a node counts.
func (s *secured) counts(t *testing.T, name string) bool {
	t.Helper()
	_, err := s.Provider.Observe(t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: edge.Name, Location: name}})
	return err == nil
}
