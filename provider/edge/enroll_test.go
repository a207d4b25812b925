package edge_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// secured is an orchestrator that listens with TLS, with a clock of its own.
type secured struct {
	*edge.Provider
	authority *identity.Authority
	dir       string
	address   string
	stop      func()
	changes   chan resource.Scope

	mu      sync.Mutex
	offset  time.Duration
	alarms  []string
	version string
}

func newSecured(t *testing.T) *secured {
	t.Helper()
	s := &secured{dir: t.TempDir(), version: "c1", changes: make(chan resource.Scope, 100)}
	s.restart(t)
	return s
}

// restart starts the orchestrator, again if it runs.
func (s *secured) restart(t *testing.T) {
	t.Helper()
	if s.stop != nil {
		s.stop()
	}
	var err error
	if s.authority, err = identity.Open(s.dir, s.clock); err != nil {
		t.Fatal(err)
	}
	events, err := outbox.Open(edge.EventsFile(s.dir), outbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Provider = edge.New(edge.Options{
		Clock: s.clock, Authority: s.authority, Dir: s.dir, Outbox: events, Version: func(string) string { return s.version },
		Changed: func(x resource.Scope) { s.changes <- x },
		Alarm: func(a provider.Alarm) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.alarms = append(s.alarms, a.Text)
		},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	server := link.NewServer(s.Provider, grpc.Creds(credentials.NewTLS(s.authority.Server())))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	s.stop = sync.OnceFunc(func() { server.Stop(); serving.Wait(); _ = events.Close() })
	t.Cleanup(s.stop)
}

func (s *secured) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.offset)
}

func (s *secured) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

func (s *secured) alarmed(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.alarms, func(a string) bool { return strings.Contains(a, text) })
}

// sign asks this orchestrator.
func (s *secured) sign(ctx context.Context, c *tls.Config, token string, csr []byte) (cert, authority []byte, err error) {
	r, err := link.Enroll(ctx, s.address, credentials.NewTLS(c), link.EnrollRequest{Token: token, CSR: csr})
	return r.Cert, r.Authority, err
}

func (s *secured) node(t *testing.T) identity.Node {
	return identity.Node{Dir: t.TempDir(), Clock: s.clock}
}

// enrolled is a node with a certificate.
func (s *secured) enrolled(t *testing.T, name string) identity.Node {
	t.Helper()
	token, err := s.authority.Token(name)
	n := s.node(t)
	if err == nil {
		err = n.Enroll(t.Context(), token, s.sign)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// speak opens a stream for a node and reports once; it returns why that is refused.
func (s *secured) speak(t *testing.T, c credentials.TransportCredentials, name string) (*link.Conn, error) {
	t.Helper()
	conn, err := link.Dial(t.Context(), s.address, c)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	site, node, _ := strings.Cut(name, "/")
	_ = conn.Send(link.FromNode{Hello: &link.Hello{Site: site, Node: node}})
	_ = conn.Send(link.FromNode{Report: &link.Report{}})
	return conn, s.answer(conn, name)
}

// answer waits until a report of a node counts, or its stream has ended.
func (s *secured) answer(conn *link.Conn, name string) error {
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Recv()
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(5 * time.Millisecond):
			_, err := s.Observe(context.Background(), provider.ObserveRequest{Scope: resource.Scope{Provider: edge.Name, Location: name}})
			if err == nil {
				return nil
			}
		}
	}
}

func (s *secured) creds(t *testing.T, n identity.Node) credentials.TransportCredentials {
	t.Helper()
	c, _, err := n.Config()
	if err != nil {
		t.Fatal(err)
	}
	return credentials.NewTLS(c)
}

func refused(t *testing.T, what string, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %q", what, err, text)
	}
}

// TestWhoMaySpeakForANode: a node that enrolled, for itself; none without a certificate or TLS, with one of
// another authority, or for another node.
func TestWhoMaySpeakForANode(t *testing.T) {
	t.Parallel()
	s, other := newSecured(t), newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	if _, err := s.speak(t, s.creds(t, n), "berlin/n1"); err != nil {
		t.Fatalf("a node that enrolled is refused: %v", err)
	}
	_, err := s.speak(t, s.creds(t, n), "berlin/n2")
	refused(t, "a node for another one", err, "berlin/n1 cannot speak for berlin/n2")
	if status.Code(err) != codes.PermissionDenied || !s.alarmed("cannot speak for") {
		t.Errorf("%v, alarms %v", err, s.alarms)
	}
	c, _, err := n.Config()
	if err != nil {
		t.Fatal(err)
	}
	anonymous := c.Clone()
	anonymous.Certificates = nil
	_, err = s.speak(t, credentials.NewTLS(anonymous), "berlin/n3")
	refused(t, "a node without a certificate", err, "has no certificate")
	foreign, _, err := other.enrolled(t, "berlin/n3").Config()
	if err != nil {
		t.Fatal(err)
	}
	mixed := c.Clone()
	mixed.Certificates = foreign.Certificates
	_, err = s.speak(t, credentials.NewTLS(mixed), "berlin/n3")
	refused(t, "a certificate of another authority", err, "signed by unknown authority")
	_, err = other.speak(t, s.creds(t, n), "berlin/n1")
	refused(t, "a node with another orchestrator", err, "unknown authority")
	if _, err = s.speak(t, insecure.NewCredentials(), "berlin/n3"); err == nil {
		t.Error("a node without TLS may speak")
	}
}

// TestTokens: a token is for one node, one use and fifteen minutes; a second use is alarmed, and a node gives
// its token to no other authority.
func TestTokens(t *testing.T) {
	t.Parallel()
	s, other := newSecured(t), newSecured(t)
	token, err := s.authority.Token("berlin/n1")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "a token shown to another orchestrator", s.node(t).Enroll(t.Context(), token, other.sign), "does not match the token")
	first := s.node(t)
	if err := first.Enroll(t.Context(), token, s.sign); err != nil {
		t.Fatal(err)
	}
	if !first.EnrolledWith(token) || first.EnrolledWith(token+"0") || s.node(t).EnrolledWith(token) {
		t.Error("a node does not know the token that it enrolled with")
	}
	if s.alarmed("second time") {
		t.Error("the first use is alarmed")
	}
	refused(t, "a token a second time", s.node(t).Enroll(t.Context(), token, s.sign), "used before")
	if !s.alarmed("the token of berlin/n1 was used a second time") {
		t.Errorf("alarms %v", s.alarms)
	}
	late, err := s.authority.Token("berlin/n2")
	if err != nil {
		t.Fatal(err)
	}
	s.later(identity.TokenLife + time.Second)
	for range 2 {
		refused(t, "an old token", s.node(t).Enroll(t.Context(), late, s.sign), "has expired")
	}
	if s.alarmed("berlin/n2") {
		t.Errorf("an old token that was never used is alarmed: %v", s.alarms)
	}
	_, authority, _ := strings.Cut(late, ".")
	refused(t, "an unknown token", s.node(t).Enroll(t.Context(), "unknown."+authority, s.sign), "unknown")
	refused(t, "half a token", s.node(t).Enroll(t.Context(), "x", s.sign), "incomplete")
	tokens := make(chan error, 20)
	again, err := s.authority.Token("berlin/n4")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range cap(tokens) {
		n := s.node(t)
		all.Go(func() { tokens <- n.Enroll(context.Background(), again, s.sign) })
	}
	all.Wait()
	close(tokens)
	good := 0
	for err := range tokens {
		if err == nil {
			good++
		}
	}
	if good != 1 {
		t.Errorf("%d nodes enrolled with one token", good)
	}
}

// TestRevocation ends a stream at its next report, and the renewal too, until the node enrolls again.
func TestRevocation(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	conn, err := s.speak(t, s.creds(t, n), "berlin/n1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.authority.Revoke("berlin/n1"); err != nil {
		t.Fatal(err)
	}
	s.later(edge.DefaultLease + time.Second)
	_ = conn.Send(link.FromNode{Report: &link.Report{}})
	if _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); !errors.Is(err, offline.Err) {
		t.Errorf("a report of a node that was revoked counts: %v", err)
	}
	_, err = s.speak(t, s.creds(t, n), "berlin/n1")
	refused(t, "a node that was revoked", err, "was revoked")
	refused(t, "its renewal", n.Renew(t.Context(), s.sign), "was revoked")
	if _, err := s.speak(t, s.creds(t, s.enrolled(t, "berlin/n1")), "berlin/n1"); err != nil {
		t.Errorf("after another enrollment: %v", err)
	}
}

// TestRenewal: after a third of its life a certificate is due; one that has expired may be renewed for a while,
// and nothing else.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	due := func() time.Duration {
		_, d, err := n.Config()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := due(); d < 9*24*time.Hour || d > 11*24*time.Hour {
		t.Errorf("due in %s", d)
	}
	s.later(identity.NodeLife + 24*time.Hour)
	if due() > 0 {
		t.Error("it has expired, and is not due")
	}
	expired, _, err := n.Config()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.authority.Node(expired.Certificates[0].Leaf, false); !errors.Is(err, identity.ErrRefused) {
		t.Errorf("a node whose certificate has expired may speak: %v", err)
	}
	if node, err := s.authority.Node(expired.Certificates[0].Leaf, true); err != nil || node != "berlin/n1" {
		t.Errorf("it may not renew: %q, %v", node, err)
	}
	if err := n.Renew(t.Context(), s.sign); err != nil {
		t.Fatal(err)
	}
	c, _, err := n.Config()
	if err != nil || c.Certificates[0].Leaf.SerialNumber.Cmp(expired.Certificates[0].Leaf.SerialNumber) <= 0 {
		t.Errorf("the certificate is not a newer one: %v", err)
	}
	if _, err := s.speak(t, s.creds(t, n), "berlin/n1"); err != nil {
		t.Errorf("after the renewal: %v", err)
	}
	s.later(identity.RenewGrace)
	if _, err := s.authority.Node(expired.Certificates[0].Leaf, true); !errors.Is(err, identity.ErrRefused) {
		t.Errorf("an old certificate may be renewed without end: %v", err)
	}
}
