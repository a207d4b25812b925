package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	apiserver = "/usr/local/bin/kube-apiserver"
	etcd      = "/usr/local/bin/etcd"
)

// serveReal runs etcd and the API server of Kubernetes, and ends with the first of them.
func serveReal(ctx context.Context) error {
	commands := []*exec.Cmd{
		exec.Command(etcd, "--data-dir=/var/lib/etcd", "--listen-client-urls=http://127.0.0.1:2379",
			"--advertise-client-urls=http://127.0.0.1:2379",
			"--listen-peer-urls=http://127.0.0.1:2380", "--unsafe-no-fsync", "--log-level=error"),
		exec.Command(apiserver, "--etcd-servers=http://127.0.0.1:2379", "--secure-port=6443", "--bind-address=0.0.0.0",
			"--tls-cert-file="+pki+"/apiserver.crt", "--tls-private-key-file="+pki+"/apiserver.key",
			"--client-ca-file="+pki+"/ca.crt",
			"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+pki+"/sa.pub",
			"--service-account-signing-key-file="+pki+"/sa.key",
			"--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC",
			"--disable-admission-plugins=ServiceAccount"),
	}
	ended := make(chan error, len(commands))
	for _, c := range commands {
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			return err
		}
		go func() { ended <- fmt.Errorf("%s: %w", c.Path, errors.Join(c.Wait(), errEnded)) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	for _, c := range commands {
		_ = c.Process.Signal(syscall.SIGTERM)
	}
	for range commands {
		select {
		case err := <-ended: // it was asked to
			_ = err
		case <-time.After(3 * time.Second):
		}
	}
	return err
}

var errEnded = errors.New("it has ended")

// unready is a file with which the API server is not ready.
const unready = "/unready"

// serveFake answers what ovi asks of every cluster, and keeps the objects that are put into it.
func serveFake(ctx context.Context) error {
	mux := http.NewServeMux()
	answer := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintln(w, body)
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := os.Stat(unready); err == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	answer("/version", `{"gitVersion":"v0.0.0-fake"}`)
	inside, err := newObjects()
	if err != nil {
		return err
	}
	mux.Handle("/", inside)
	pool, err := clientPool()
	if err != nil {
		return err
	}
	s := &http.Server{
		Addr: ":6443", Handler: mux, ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert},
	}
	go func() {
		<-ctx.Done()
		_ = s.Close()
	}()
	if err := s.ListenAndServeTLS(pki+"/apiserver.crt", pki+"/apiserver.key"); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
