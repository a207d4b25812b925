package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// ports is the file in which k3d tells its load balancer what to forward where.
const ports = "/etc/confd/values.yaml"

// balancer forwards connections to the servers, as k3d's load balancer does.
func balancer([]string) error {
	ctx, stop := until()
	defer stop()
	if err := await(ctx, ports); err != nil {
		return nil //nolint:nilerr // it was asked to stop
	}
	b, err := os.ReadFile(ports)
	if err != nil {
		return err
	}
	// The first server of each port counts: lines such as "  6443.tcp:" and "    - k3d-a-server-0".
	targets, section := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if p, ok := strings.CutSuffix(line, ".tcp:"); ok {
			section = p
		} else if host, ok := strings.CutPrefix(line, "- "); ok && section != "" && targets[section] == "" {
			targets[section] = host
		}
	}
	for port, host := range targets {
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			return err
		}
		go accept(ctx, l, net.JoinHostPort(host, port))
	}
	announce(ctx, "start worker processes")
	<-ctx.Done()
	return nil
}

// announce prints the lines that k3d waits for, several times: it asks for those since the start of the container,
// which Podman 4 may record as a moment after the first line, whose time it cuts to seconds.
func announce(ctx context.Context, lines ...string) {
	for range 10 {
		for _, l := range lines {
			say(l)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

func accept(ctx context.Context, l net.Listener, to string) {
	go func() { <-ctx.Done(); _ = l.Close() }()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go forward(c, to)
	}
}

func forward(c net.Conn, to string) {
	defer func() { _ = c.Close() }()
	d, err := net.DialTimeout("tcp4", to, 5*time.Second) // the DNS of Podman 4 does not answer for the other addresses
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return
	}
	defer func() { _ = d.Close() }()
	go func() { _, _ = io.Copy(d, c); _ = d.Close() }()
	_, _ = io.Copy(c, d)
}
