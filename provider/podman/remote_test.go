package podman_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/needs"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// serve passes what comes to a listener on to the socket of a host.
func serve(t *testing.T, l net.Listener, socket string) {
	t.Helper()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				_ = from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
}

// certificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func certificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth,
		},
	}
	der, err := x509.CreateCertificate(rand.Reader, x, x, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	write := func(file, kind string, b []byte) string {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write(name+".crt", "CERTIFICATE", der), write(name+".key", "EC PRIVATE KEY", private)
}

// TestHostsAreReachedFromAfar: over TCP, TLS with certificates of both sides, and ssh.
func TestHostsAreReachedFromAfar(t *testing.T) {
	r := newReal(t)
	_, made := r.create("volume", "data", values{})
	dir := t.TempDir()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	observes := func(o podman.Options, word string) error {
		p := podman.New(o)
		defer func() {
			if err := p.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}()
		location, err := p.Locate(r.context(), word)
		if err != nil {
			return err
		}
		r.p, r.scope.Location, r.last = p, location, nil
		if o, ok := r.byID(made.ID); !ok || o.UID != made.UID || !strings.HasSuffix(location, "/"+word) {
			t.Errorf("by %s the volume is %+v", word, o)
		}
		return nil
	}

	plain := listen()
	serve(t, plain, r.host.Socket)
	if err := observes(podman.Options{}, "tcp://"+plain.Addr().String()); err != nil {
		t.Error(err)
	}

	serverCert, serverKey := certificate(t, dir, "server")
	clientCert, clientKey := certificate(t, dir, "client")
	pair, err := tls.LoadX509KeyPair(serverCert, serverKey)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	b, err := os.ReadFile(clientCert)
	if err != nil || !trusted.AppendCertsFromPEM(b) {
		t.Fatal("no certificate", err)
	}
	l := listen()
	serve(t,
		tls.NewListener(l,
			&tls.Config{
				Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted,
				MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12,
			}),
		r.host.Socket)
	word := "tcp://" + l.Addr().String()
	if err := observes(podman.Options{TLS: libpod.Certificates{CA: serverCert, Cert: clientCert, Key: clientKey}},
		word); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]libpod.Certificates{
		"another authority": {
			CA: clientCert, Cert: clientCert, Key: clientKey,
		}, "no certificate": {CA: serverCert}, "a missing file": {CA: filepath.Join(dir, "nope")},
	} {
		if err := observes(podman.Options{TLS: c}, word); provider.CauseOf(err) != provider.Unreachable {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.overSSH(dir, observes)
	for _, word := range []string{"nope", "ftp://x", "tcp://127.0.0.1:1"} {
		if err := observes(podman.Options{}, word); err == nil {
			t.Errorf("%s is reached", word)
		}
	}
}

// overSSH runs a server of ssh that accepts one key.
func (r *real) overSSH(dir string, observes func(podman.Options, string) error) {
	t := r.t
	sshd := needs.Program(t, "sshd")
	needs.Program(t, "ssh")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // sshd listens there next
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %[2]s/host\nAuthorizedKeysFile "+
		"%[2]s/user.pub\nPermitRootLogin yes\nStrictModes no\nUsePAM no\nPidFile none\n",
		port, dir)
	client := fmt.Sprintf("Host 127.0.0.1\n IdentityFile %[1]s/user\n UserKnownHostsFile %[1]s/known\n "+
		"StrictHostKeyChecking accept-new\n",
		dir)
	for name, text := range map[string]string{
		"sshd_config": config, "ssh_config": client,
		"ssh": "#!/bin/sh\nexec /usr/bin/ssh -F " + dir + "/ssh_config \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	word := fmt.Sprintf("ssh://root@127.0.0.1:%d%s", port, r.host.Socket)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if err = observes(podman.Options{}, word); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		t.Errorf("over ssh: %v", err)
	}
	if err := observes(podman.Options{},
		fmt.Sprintf("ssh://other@127.0.0.1:%d/x", port)); err == nil || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("without a key: %v", err)
	}
}
