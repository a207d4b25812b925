package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/internal/etcdtest"
)

const storePassword = "not-a-real-password"

// securedSite is a site whose etcd requires a client certificate and a user, and whose tokens
// expire after a second.
func securedSite(t *testing.T, config string) (*site, *etcdtest.Authority) {
	t.Helper()
	a := etcdtest.NewAuthority(t)
	server := etcdtest.StartTLS(t, a, true, "--auth-token-ttl", "1")
	server.SwitchAuthOn(t, "/site/", map[string]string{"ann": storePassword})
	cert, key := a.Issue(t, "client")
	s := &site{t: t, dir: t.TempDir(), server: server}
	s.write("password", storePassword+"\n")
	s.store = "etcd://ann@" + server.Endpoint + "/site?ca=" + a.CA + "&cert=" + cert + "&key=" + key + "&password-file=" + filepath.Join(s.dir, "password")
	writeConfig(t, s.dir, config)
	return s, a
}

func (s *site) write(name, text string) string {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// TestRunOnASecuredStore: `ovi run` continues although its token expires between any two cycles,
// repairs what changed meanwhile, and no file and no output contains the password.
func TestRunOnASecuredStore(t *testing.T) {
	t.Parallel()
	s, _ := securedSite(t, fleet(3))
	ann := s.keep("ann", "--interval", "4s", "--claim-ttl", "1m")
	s.converged(3)
	eventually(t, "its token expired between two cycles", func() bool { return ann.cycles() >= 2 })
	s.run("eve", "0", "sandbox", "break", "delete", "ec2/web-1", "--region", "us-east-1")
	s.converged(3)
	if err := ann.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := ann.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	for _, bad := range []string{"a cycle failed", "no action is started", "arning:", storePassword} {
		if strings.Contains(unwrapped(ann.said()), bad) {
			t.Errorf("it says %q:\n%s", bad, ann.said())
		}
	}
	noneHolds(t, filepath.Join(s.dir, "ann"), storePassword, "ann@", "password-file")
}

// noneHolds checks that no file of a folder contains one of the texts.
func noneHolds(t *testing.T, dir string, texts ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, text := range texts {
			if strings.Contains(string(b), text) {
				t.Errorf("%s holds %q", path, text)
			}
		}
		files++
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestRefusedByTheStore: the whole error of each way in which a store refuses a user.
func TestRefusedByTheStore(t *testing.T) {
	t.Parallel()
	s, a := securedSite(t, fleet(1))
	other, full := etcdtest.NewAuthority(t), etcdtest.Start(t, "--quota-backend-bytes", "1")
	plain := etcdtest.Start(t)
	cert, key := a.Issue(t, "another")
	wrong, ours := s.write("wrong", "hunter2-is-not-it\n"), "ca="+a.CA+"&cert="+cert+"&key="+key
	at, password := s.server.Endpoint, "&password-file="+filepath.Join(s.dir, "password")
	var got strings.Builder
	for _, c := range []struct{ name, store string }{
		{"the wrong authority", "ann@" + at + "/site?ca=" + other.CA + password},
		{"no client certificate", "ann@" + at + "/site?ca=" + a.CA + password},
		{"no TLS", "ann@" + at + "/site?" + password[1:]},
		{"TLS where there is none", plain.Endpoint + "/site?ca=" + a.CA},
		{"the wrong password", "ann@" + at + "/site?" + ours + "&password-file=" + wrong},
		{"no password", "ann@" + at + "/site?" + ours},
		{"no user", at + "/site?" + ours},
		{"another prefix", "ann@" + at + "/theirs?" + ours + password},
		{"an invalid option", at + "/site?tls=on"},
		{"no such file", at + "/site?ca=gone.pem"},
		{"nothing listens", "127.0.0.1:1/site"},
		{"out of space", full.Endpoint + "/site"},
	} {
		out, code := s.plainly("--store", "etcd://"+c.store)
		if strings.Contains(out, "hunter2") || strings.Contains(out, storePassword) {
			t.Errorf("%s: it shows the password:\n%s", c.name, out)
		}
		got.WriteString("# " + c.name + ": exit code " + code + "\n" + out + "\n")
	}
	text := strings.NewReplacer(at, "HOST:2379", plain.Endpoint, "PLAIN:2379", full.Endpoint, "FULL:2379", s.dir, "DIR").Replace(got.String())
	golden(t, "testdata/refused-by-the-store.txt", text)
}

// plainly is what a plan says, and its exit code.
func (s *site) plainly(args ...string) (string, string) {
	cmd := s.as("eve", append([]string{"plan", "--sandbox"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out), "0"
	}
	return string(out), exitText(err)
}

// TestAFullStoreCanBeRead: recorded state can be read; no action starts, and the error says why.
func TestAFullStoreCanBeRead(t *testing.T) {
	t.Parallel()
	s := &site{t: t, dir: t.TempDir(), server: etcdtest.Start(t, "--quota-backend-bytes", "8388608")}
	writeConfig(t, s.dir, fleet(2))
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	admin, value := s.server.Admin(t, false), strings.Repeat("x", 500_000)
	for i := 0; ; i++ {
		if _, err := admin.Put(t.Context(), "/others", value); err != nil {
			break
		}
		if i > 500 {
			t.Fatal("the cluster is never full")
		}
	}
	for _, args := range [][]string{{"status"}, {"history", "web-1"}, {"why", "web-1"}, {"claims"}, {"store", "status"}} {
		s.run("ann", "0", args...)
	}
	writeConfig(t, s.dir, fleet(3))
	before := s.created()
	if out := s.run("ann", "1 3", "apply", "--sandbox", "--auto-approve"); !strings.Contains(out, "out of space") || !strings.Contains(out, "etcdctl alarm disarm") {
		t.Errorf("it does not say why:\n%s", out)
	}
	if after := s.created(); after != before {
		t.Errorf("%d calls were made that cannot be on record", after-before)
	}
}

// TestPasswordFromOutside: by a variable, by a file, never by the command line alone.
func TestPasswordFromOutside(t *testing.T) {
	t.Parallel()
	s, a := securedSite(t, fleet(1))
	cert, key := a.Issue(t, "another")
	s.store = "etcd://" + s.server.Endpoint + "/site?ca=" + a.CA + "&cert=" + cert + "&key=" + key
	for who, env := range map[string]string{
		"bob": "OVI_STORE_PASSWORD=" + storePassword, "cid": "OVI_STORE_PASSWORD_FILE=" + filepath.Join(s.dir, "password"),
	} {
		cmd := s.as(who, "plan", "--sandbox")
		cmd.Env = append(cmd.Env, "OVI_STORE_USER=ann", env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", env, err, out)
		}
		noneHolds(t, filepath.Join(s.dir, who), storePassword, "ann@", "OVI_STORE_USER")
	}
}

// TestAnotherStoreIsRefused: a data directory goes with one store. An empty one in its place is
// refused, one of others is, and the note stays; the same one by another name is none of these.
func TestAnotherStoreIsRefused(t *testing.T) {
	t.Parallel()
	s, other := newSite(t, fleet(2)), etcdtest.Start(t)
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	with := func(who, store string, args ...string) (string, error) {
		cmd := s.as(who, args...)
		cmd.Env = append(cmd.Env, "OVI_STORE="+store)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	wants := func(what, store, want string) {
		t.Helper()
		out, err := with("ann", store, "apply", "--sandbox", "--auto-approve")
		if err == nil || exitText(err) != "1" || !strings.Contains(out, want) {
			t.Errorf("%s: %v, want %q:\n%s", what, err, want, out)
		}
		if out, err := with("ann", "", "status"); err == nil || !strings.Contains(out, "the store of this data directory is etcd://"+s.server.Endpoint+"/"+s.server.Room+"site") {
			t.Errorf("%s: the note is another one: %v\n%s", what, err, out)
		}
	}
	wants("an empty cluster", "etcd://"+other.Endpoint+"/site", "this store is empty")
	wants("a mistyped prefix", "etcd://"+s.server.Endpoint+"/"+s.server.Room+"sitte", "this store is empty")
	if out, err := with("eve", "etcd://"+other.Endpoint+"/site", "plan", "--sandbox"); err != nil && exitText(err) != "7" {
		t.Fatalf("%v\n%s", err, out)
	}
	wants("a cluster of others", "etcd://"+other.Endpoint+"/site", "was used with another store")
	byName := "etcd://localhost" + strings.TrimPrefix(s.server.Endpoint, "127.0.0.1") + "/" + s.server.Room + "site"
	if out, err := with("ann", byName, "plan", "--sandbox"); err != nil {
		t.Errorf("the same by another name: %v\n%s", err, out)
	}
	if err := os.Remove(filepath.Join(s.dir, "ann", command.StoreNote)); err != nil {
		t.Fatal(err)
	}
	if out, err := with("ann", "etcd://"+other.Endpoint+"/new", "plan", "--sandbox"); err != nil {
		t.Errorf("rebuilt from the log, as the message suggests: %v\n%s", err, out)
	}
	if out, err := with("ann", "etcd://"+other.Endpoint+"/new", "history", "web-1"); err != nil || !strings.Contains(out, "create finished") {
		t.Errorf("its history: %v\n%s", err, out)
	}
}
