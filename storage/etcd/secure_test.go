package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
	"github.com/ovi-project/ovi/storage/storagetest"
)

const (
	annsPassword = "not-a-real-password"
	badPassword  = "hunter2-is-not-it"
)

// open opens a store by its address, as a user writes it.
func open(t testing.TB, url string) (*etcd.Store, error) {
	t.Helper()
	cfg, err := etcd.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	s, err := etcd.Open(t.Context(), cfg)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func mustOpen(t testing.TB, url string) *etcd.Store {
	t.Helper()
	s, err := open(t, url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestContractSecured holds the store to its promises through TLS with certificates on both
// sides, as a user whose role reaches no further than the prefix.
func TestContractSecured(t *testing.T) {
	t.Parallel()
	a := etcdtest.NewAuthority(t)
	server := etcdtest.StartTLS(t, a, true)
	server.SwitchAuthOn(t, "/mine/", map[string]string{"ann": annsPassword})
	cert, key := a.Issue(t, "client")
	var n atomic.Int64
	storagetest.Run(t, func(t testing.TB) storage.Store {
		at := fmt.Sprintf("@%s/mine/%d?ca=%s&cert=%s&key=%s", server.Endpoint, n.Add(1), a.CA, cert, key)
		return compactedByRoot{mustOpen(t, "etcd://ann:"+annsPassword+at), mustOpen(t, "etcd://root:"+etcdtest.RootPassword+at)}
	})
}

// compactedByRoot is a store of a user that may do all but compact.
type compactedByRoot struct {
	*etcd.Store
	root *etcd.Store
}

func (s compactedByRoot) Compact(ctx context.Context, before storage.Revision) error {
	return s.root.Compact(ctx, before)
}

// TestOnlyRootCompacts: another user gets an error, and the history stays readable.
func TestOnlyRootCompacts(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	server.SwitchAuthOn(t, "/mine/", map[string]string{"ann": annsPassword})
	s := mustOpen(t, "etcd://ann:"+annsPassword+"@"+server.Endpoint+"/mine")
	first, err := commitWithin(t, s, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	second, err := commitWithin(t, s, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		refused(t, "compact", s.Compact(t.Context(), second), "compact: only a user with the role root may compact: etcd has one history for all its users "+
			"(omit --keep-history and let etcd compact automatically (--auto-compaction-mode periodic --auto-compaction-retention 2160h), or use a user that may compact)")
	}
	seq, _, err := s.Range(t.Context(), "", first)
	if err = errors.Join(err, drain(seq)); err != nil {
		t.Errorf("what was not compacted cannot be read: %v", err)
	}
}

// TestMembersHaveCertificatesOfTheirOwn: each endpoint is held to its own name.
func TestMembersHaveCertificatesOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := etcdtest.NewAuthority(t)
	members := etcdtest.ClusterTLS(t, a, 3)
	var endpoints []string
	for _, m := range members {
		endpoints = append(endpoints, m.Endpoint)
	}
	s := mustOpen(t, "etcd://"+strings.Join(endpoints, ",")+"/p?ca="+a.CA)
	for _, m := range members { // whichever it speaks to
		m.Kill()
		if _, err := commitWithin(t, s, time.Minute); err != nil {
			t.Errorf("with %s down: %v", m.Endpoint, err)
		}
		if _, err := s.Stats(t.Context()); err != nil {
			t.Errorf("how it stands, with %s down: %v", m.Endpoint, err)
		}
		m.Restart(t)
	}
}

// commitWithin commits until it works.
func commitWithin(t *testing.T, s *etcd.Store, within time.Duration) (storage.Revision, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		rev, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "k", Value: []byte(time.Now().String())}}})
		if err == nil || ctx.Err() != nil {
			return rev, err
		}
	}
}

// TestRefusals: each way not to get in gives one clear error, quickly, without the password.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a, other := etcdtest.NewAuthority(t), etcdtest.NewAuthority(t)
	cert, key := other.Issue(t, "client")
	namedCert, namedKey := a.Issue(t, "elsewhere", "etcd.example")
	oldCert, oldKey := a.IssueUntil(t, "old", time.Date(2020, 2, 3, 4, 5, 0, 0, time.UTC), "127.0.0.1")
	plain, secured, mutual := etcdtest.Start(t), etcdtest.StartTLS(t, a, false), etcdtest.StartTLS(t, a, true)
	elsewhere, old := etcdtest.StartTLSWith(t, a, namedCert, namedKey, false), etcdtest.StartTLSWith(t, a, oldCert, oldKey, false)
	users := etcdtest.StartTLS(t, a, false)
	users.SwitchAuthOn(t, "/mine/", map[string]string{"ann": annsPassword})
	for _, c := range []struct{ name, url, want string }{
		{
			"wrong authority", secured.Endpoint + "/p?ca=" + other.CA,
			"connect: the certificate authority that signed its certificate is not trusted (add the certificate of its certificate authority with ?ca=FILE)",
		},
		{
			"no authority", secured.Endpoint + "/p?tls=true",
			"connect: the certificate authority that signed its certificate is not trusted (add the certificate of its certificate authority with ?ca=FILE)",
		},
		{
			"wrong authority and a password", "ann:" + badPassword + "@" + users.Endpoint + "/mine?ca=" + other.CA,
			"connect: the certificate authority that signed its certificate is not trusted (add the certificate of its certificate authority with ?ca=FILE)",
		},
		{
			"no client certificate", mutual.Endpoint + "/p?ca=" + a.CA,
			"connect: it requires a client certificate (certificate required) (add cert=FILE and key=FILE to the store)",
		},
		{
			"another's client certificate", mutual.Endpoint + "/p?ca=" + a.CA + "&cert=" + cert + "&key=" + key,
			"connect: it rejects the certificate in cert=FILE (unknown certificate authority) (use one that the certificate authority in etcd's --trusted-ca-file signed, and that has not expired)",
		},
		{
			"another name", elsewhere.Endpoint + "/p?ca=" + a.CA,
			"connect: its certificate is for etcd.example only (use one of these names in the store, or use a certificate of etcd for this name)",
		},
		{
			"ended", old.Endpoint + "/p?ca=" + a.CA,
			"connect: its certificate is valid from 2020-01-31 04:05 UTC to 2020-02-03 04:05 UTC (renew the certificate of etcd, or correct the clock of this host)",
		},
		{
			"plain to TLS", secured.Endpoint + "/p",
			"connect: it requires TLS, and the store is set without (add ?tls=true to the store, or ?ca=FILE with the certificate of its certificate authority)",
		},
		{
			"plain to mutual TLS, with a password", "ann:" + badPassword + "@" + mutual.Endpoint + "/p",
			"connect: it requires TLS, and the store is set without (add ?tls=true to the store, or ?ca=FILE with the certificate of its certificate authority)",
		},
		{
			"TLS to plain", plain.Endpoint + "/p?ca=" + a.CA,
			"connect: it does not use TLS (omit tls, ca, cert and key in the store, or set --cert-file and --key-file of etcd)",
		},
		{
			"wrong password", "ann:" + badPassword + "@" + users.Endpoint + "/mine?ca=" + a.CA,
			`connect: the password of user "ann" is wrong, or the user does not exist (check the user in the store or OVI_STORE_USER, and the password of OVI_STORE_PASSWORD_FILE, OVI_STORE_PASSWORD or password-file)`,
		},
		{
			"no such user", "bob:" + badPassword + "@" + users.Endpoint + "/mine?ca=" + a.CA,
			`connect: the password of user "bob" is wrong, or the user does not exist (check the user in the store or OVI_STORE_USER, and the password of OVI_STORE_PASSWORD_FILE, OVI_STORE_PASSWORD or password-file)`,
		},
		{
			"no user", users.Endpoint + "/mine?ca=" + a.CA,
			"open: it requires a user, and none is set (set the user in the store or OVI_STORE_USER, and the password with OVI_STORE_PASSWORD_FILE)",
		},
		{
			"not her prefix", "ann:" + annsPassword + "@" + users.Endpoint + "/theirs?ca=" + a.CA,
			`open: user "ann" may not read and write below /theirs/ (etcdctl role grant-permission ROLE readwrite --prefix=true /theirs/, or use a prefix that the user's role has)`,
		},
	} {
		begun := time.Now()
		_, err := open(t, "etcd://"+c.url)
		refused(t, c.name, err, c.want)
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: refused after %s", c.name, took)
		}
	}
}

// refused checks for an *etcd.Error that says where, what and what next, and no password.
func refused(t *testing.T, name string, err error, want string) {
	t.Helper()
	var e *etcd.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %v: want an *etcd.Error", name, err)
		return
	}
	if e.Where == "" || e.Next == "" || e.Err == nil || strings.Contains(fmt.Sprintf("%+v", e), annsPassword) || strings.Contains(fmt.Sprintf("%+v", e), badPassword) {
		t.Errorf("%s: %+v", name, e)
	}
	if diff := cmp.Diff("etcd at "+e.Where+": "+want, err.Error()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestUnreachable: nothing listens, nothing answers, no majority.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	silent, three := etcdtest.Start(t), etcdtest.Cluster(t, 3)
	silent.Pause()
	three[1].Kill()
	three[2].Kill()
	const check = " (check the address, that etcd runs there, and that no firewall blocks it)"
	for _, c := range []struct{ name, at, want string }{
		{"nobody", "127.0.0.1:1", "connect: nothing listens at that address" + check}, // style:ok a user name
		{"no host", "etcd.invalid", "connect: the host name does not exist (check the address in the store)"},
		{"two kinds", "127.0.0.1:1," + silent.Endpoint, "connect: 127.0.0.1:1: nothing listens at that address; " + silent.Endpoint + ": it does not answer" + check},
	} {
		_, err := open(t, "etcd://"+c.at+"/p")
		refused(t, c.name, err, c.want)
	}
	var err error
	for range 10 { // the last member takes a moment to detect that it is alone
		if _, err = open(t, "etcd://"+three[0].Endpoint+","+three[1].Endpoint+","+three[2].Endpoint+"/p"); strings.Contains(err.Error(), "no leader") {
			break
		}
	}
	refused(t, "no leader", err, "open: the cluster has no leader (of the endpoints given, 1 of 3 are reachable) "+
		"(a majority of its members must run and reach each other: run etcdctl endpoint status --cluster, then try again)")
}

// TestTokensExpire: a store that was left alone for longer than its token lives goes on, in
// each kind of call.
func TestTokensExpire(t *testing.T) {
	t.Parallel()
	a := etcdtest.NewAuthority(t)
	server := etcdtest.StartTLS(t, a, false, "--auth-token-ttl", "1")
	server.SwitchAuthOn(t, "/mine/", map[string]string{"ann": annsPassword})
	ctx := t.Context()
	s := mustOpen(t, "etcd://ann:"+annsPassword+"@"+server.Endpoint+"/mine?ca="+a.CA)
	first, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "k", Value: []byte("v")}}})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.Grant(ctx, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	large := storage.Tx{}
	for i := range 300 {
		large.Ops = append(large.Ops, storage.Op{Key: fmt.Sprintf("l/%d", i), Value: []byte("v")})
	}
	for name, call := range map[string]func() error{
		"commit": func() error {
			_, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "k", Value: []byte("w")}}})
			return err
		},
		"large": func() error { _, err := s.Commit(ctx, large); return err },
		"claim": func() error {
			_, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: "c", Lease: lease}}})
			return err
		},
		"renew": func() error { return s.KeepAlive(ctx, lease) },
		"grant": func() error { _, err := s.Grant(ctx, time.Minute); return err },
		"stats": func() error { _, err := s.Stats(ctx); return err },
		"compact": func() error { // she may not; with a token that expired it would be another error
			if err := s.Compact(ctx, first); err == nil || !strings.Contains(err.Error(), "only a user with the role root") {
				return fmt.Errorf("it says %w", err)
			}
			return nil
		},
		"range": func() error {
			seq, _, err := s.Range(ctx, "", storage.Now)
			return errors.Join(err, drain(seq))
		},
		"changes": func() error { return drain(s.Changes(ctx, "", first, storage.Now)) },
		"history": func() error { return drain(s.History(ctx, "k")) },
	} {
		time.Sleep(3 * time.Second) // the server forgets tokens once a second
		if err := call(); err != nil {
			t.Errorf("%s after the token had expired: %v", name, err)
		}
	}
}
