package haproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// answerWait is how long an answer may take.
const answerWait = 10 * time.Second

// ConnectError is a failure to reach HAProxy.
type ConnectError struct{ Err error }

func (e *ConnectError) Error() string { return "cannot reach HAProxy: " + e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// ask sends one command to a socket of HAProxy.
func ask(ctx context.Context, socket, command string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, answerWait)
	defer stop()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return "", &ConnectError{err}
	}
	defer func() { _ = c.Close() }() // only read from by now
	stopped := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stopped()
	_, err = io.WriteString(c, command+"\n")
	if half, ok := c.(*net.UnixConn); ok && err == nil {
		err = half.CloseWrite() // the master waits for another command otherwise
	}
	var answer []byte
	if err == nil {
		answer, err = budget.ReadAll(c, "the answer", budget.Answer)
	}
	if err != nil {
		return "", fmt.Errorf("HAProxy did not answer %q: %w", command, errors.Join(context.Cause(ctx), err))
	}
	return strings.TrimSpace(string(answer)), nil
}

// server is what HAProxy uses for a backend: the address of its server.
type server struct {
	address string
	port    int
}

// servers are the servers s1 of the backends that are routes, by backend.
func (f Folder) servers(ctx context.Context) (map[string]server, error) {
	text, err := ask(ctx, f.Socket, "show servers state")
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	out := map[string]server{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "#" {
			for i, name := range words[1:] {
				at[name] = i
			}
			continue
		}
		if len(words) <= at["srv_port"] || at["srv_port"] == 0 || !strings.HasPrefix(words[at["be_name"]], prefix) ||
			words[at["srv_name"]] != serverName {
			continue
		}
		port, err := strconv.Atoi(words[at["srv_port"]])
		if err != nil {
			return nil, fmt.Errorf("HAProxy answers the port %q of a server", words[at["srv_port"]])
		}
		out[words[at["be_name"]]] = server{words[at["srv_addr"]], port}
	}
	if at["srv_port"] == 0 {
		return nil, fmt.Errorf("HAProxy does not list its servers: %s", text)
	}
	return out, nil
}

// setServer gives the server of a backend another address.
func (f Folder) setServer(ctx context.Context, backend string, s server) error {
	text, err := ask(ctx, f.Socket,
		fmt.Sprintf("set server %s/%s addr %s port %d", backend, serverName, s.address, s.port))
	if err == nil && !strings.Contains(text, "changed from") && !strings.Contains(text, "no need to change") {
		err = fmt.Errorf("HAProxy does not change the address of %s: %s", backend, text)
	}
	return err
}

// entries are the lines of the map as HAProxy uses it.
func (f Folder) entries(ctx context.Context) (map[string]string, error) {
	maps, err := ask(ctx, f.Socket, "show map")
	if err != nil {
		return nil, err
	}
	if !strings.Contains(maps, "("+f.mapPath()+")") {
		return nil, &UnusedError{f.mapPath()}
	}
	text, err := ask(ctx, f.Socket, "show map "+f.mapPath())
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 3 {
			out[words[1]] = words[2]
		}
	}
	return out, nil
}

// UnusedError is a map that HAProxy has not loaded.
type UnusedError struct{ Map string }

func (e *UnusedError) Error() string { return "HAProxy does not use " + e.Map }

// Suggestion is what to do next.
func (e *UnusedError) Suggestion() string {
	return "add to its frontend: use_backend " +
		"%[req.hdr(host),field(1,:),lower,field(2,.),map_str(" + e.Map + ",NONE)], where NONE is a backend"
}

// do runs a command that answers nothing if it succeeds.
func (f Folder) do(ctx context.Context, command string) error {
	text, err := ask(ctx, f.Socket, command)
	if err == nil && text != "" {
		err = fmt.Errorf("HAProxy refuses %q: %s", command, text)
	}
	return err
}
