package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// started is the file that `kubeadm init` leaves: from then on the node runs the API server, also after a
// restart.
const started = "/etc/kubernetes/started"

// startWait is how long the API server may take to become ready.
const startWait = 2 * time.Minute

// until is a context that ends when the node is asked to stop.
func until() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGPWR, syscall.Signal(37))
}

// entrypoint is the node of kind.
func entrypoint([]string) error {
	ctx, stop := until()
	defer stop()
	say("Reached target Multi-User System.")
	if _, err := os.Stat("/kind/manifests/hang"); err == nil { // an image whose kubeadm never ends
		<-ctx.Done()
		return nil
	}
	if err := await(ctx, started); err != nil {
		return nil //nolint:nilerr // it was asked to stop
	}
	return serve(ctx)
}

// await returns once a file exists.
func await(ctx context.Context, path string) error {
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// serve runs the API server until the context ends, and answers HTTP on the ports of an ingress.
func serve(ctx context.Context) error {
	for _, port := range []string{"80", "30080", "30081", "30082", "30083"} {
		go func() { _ = http.ListenAndServe(":"+port, http.HandlerFunc(greet)) }()
	}
	if _, err := os.Stat(apiserver); errors.Is(err, os.ErrNotExist) {
		return serveFake(ctx)
	}
	return serveReal(ctx)
}

func greet(w http.ResponseWriter, r *http.Request) {
	host, _ := os.Hostname()
	_, _ = fmt.Fprintf(w, "%s answers %s\n", host, r.Host)
}

// kubeadm makes the keys of the cluster and its kubeconfig, and lets the node start.
func kubeadm(args []string) error {
	if len(args) == 0 || args[0] != "init" {
		return fmt.Errorf("only init is there, not %s", strings.Join(args, " "))
	}
	if _, err := os.Stat("/kind/manifests/hang"); err == nil {
		select {}
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if err := makeKeys(host); err != nil {
		return err
	}
	if err := writeKubeconfig("/etc/kubernetes/admin.conf", "https://"+net.JoinHostPort(host, "6443")); err != nil {
		return err
	}
	if err := os.WriteFile(started, nil, 0o600); err != nil {
		return err
	}
	return ready(context.Background())
}

// ready returns once the API server is ready.
func ready(ctx context.Context) error {
	client, err := localClient()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(startWait); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.Get("https://127.0.0.1:6443/readyz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(answer.Status)
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("the API server is not ready: %w", err)
		}
	}
}

// kubectl accepts what kind does with it, and answers that the node is ready.
func kubectl(args []string) error {
	if slices.Contains(args, "get") {
		_, err := os.Stdout.WriteString("'True'")
		return err
	}
	return nil
}

// k3s is the server of k3d.
func k3s([]string) error {
	ctx, stop := until()
	defer stop()
	const kubeconfig = "/output/kubeconfig.yaml"
	if _, err := os.Stat(kubeconfig); err != nil {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		if err := makeKeys(host); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(kubeconfig), 0o755); err != nil {
			return err
		}
		if err := writeKubeconfig(kubeconfig, "https://127.0.0.1:6443"); err != nil {
			return err
		}
	}
	go func() {
		if ready(ctx) == nil {
			announce(ctx, "k3s is up and running", "Cluster dns configmap has been set successfully")
		}
	}()
	return serve(ctx)
}

// idle is a container that only has to run.
func idle([]string) error {
	ctx, stop := until()
	defer stop()
	<-ctx.Done()
	return nil
}
