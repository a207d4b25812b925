package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// staysEnv makes this program, as ovi, wait for commands: see stay.
const staysEnv = "OVI_TEST_STAYS"

// order is a command for a process that stays.
type order struct {
	Dir       string
	Env, Args []string
}

// outcome is what became of an order.
type outcome struct {
	Code           int
	Stdout, Stderr []byte
}

// stay runs one order after the other until its input ends. The start of a process takes as long as most
// commands; directory and environment belong to a whole process, so it does one at a time.
func stay() {
	orders, outcomes := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		err := orders.Decode(&o)
		if err == nil {
			err = outcomes.Encode(o.do())
		}
		if err == io.EOF { //nolint:errorlint // as it is documented
			return
		}
		if err != nil {
			panic(err)
		}
	}
}

func (o order) do() outcome {
	os.Clearenv()
	for _, pair := range append(o.Env, "PWD="+o.Dir) {
		key, value, _ := strings.Cut(pair, "=")
		if err := os.Setenv(key, value); err != nil {
			panic(err)
		}
	}
	if err := os.Chdir(o.Dir); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr together
	code := runOfTests(ctx, ctx, o.Args, strings.NewReader(""), &stdout, &stderr)
	return outcome{code, stdout.all(), stderr.all()}
}

// together is written to from several goroutines, as a file may be.
type together struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *together) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// all is what was written until now.
func (w *together) all() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.b.Bytes())
}

// staying is a process that stays.
type staying struct {
	cmd      *exec.Cmd
	in       io.Closer
	orders   *json.Encoder
	outcomes *json.Decoder
	stderr   together
}

// crew are the processes that stay and have nothing to do.
type crew struct {
	mu   sync.Mutex
	idle []*staying
}

func (c *crew) take() (*staying, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		s := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return s, nil
	}
	s := &staying{cmd: exec.Command("ovi")}
	s.cmd.Env = append(os.Environ(), staysEnv+"=1", "GORACE="+raceOptions()+" halt_on_error=1")
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.orders, s.outcomes = in, json.NewEncoder(in), json.NewDecoder(out)
	return s, s.cmd.Start()
}

// end ends the processes: each has reported what it had to, a data race among it.
func (c *crew) end(t *testing.T) {
	t.Helper()
	for _, s := range c.idle {
		err := s.in.Close()
		if err = errors.Join(err, s.cmd.Wait()); err != nil {
			t.Errorf("a process that stayed: %v: %s", err, s.stderr.all())
		}
	}
}

func (c *crew) give(s *staying) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, s)
}

// do has a process that stays run ovi, in the directory and the environment of a script.
func (c *crew) do(ts *testscript.TestScript, args []string) outcome {
	s, err := c.take()
	ts.Check(err)
	var out outcome
	hanging := time.AfterFunc(never, func() { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }) // it prints its stacks
	if err = s.orders.Encode(order{ts.MkAbs("."), environment(ts), args}); err == nil {
		err = s.outcomes.Decode(&out)
	}
	hanging.Stop()
	if err != nil {
		_ = s.cmd.Process.Kill() // it may have ended already
		ts.Fatalf("ovi %s: %v: %v: %s", strings.Join(args, " "), err, s.cmd.Wait(), s.stderr.all())
	}
	c.give(s)
	return out
}

// unexported is a field of testscript's own: it has no function for it.
func unexported(ts *testscript.TestScript, name string) reflect.Value {
	return reflect.ValueOf(ts).Elem().FieldByName(name)
}

// environment is that of a script.
func environment(ts *testscript.TestScript) []string {
	field := unexported(ts, "env")
	out := make([]string, field.Len())
	for i := range out {
		out[i] = field.Index(i).String()
	}
	return out
}

// show makes an outcome the output of the command that runs now.
func (o outcome) show(ts *testscript.TestScript) {
	_, err := ts.Stdout().Write(o.Stdout)
	ts.Check(err)
	_, err = ts.Stderr().Write(o.Stderr)
	ts.Check(err)
}

// inside runs ovi, which must end with 0, or must not: ovi plan, ! ovi plan. `exec ovi` starts a process, for
// a command that is killed, that runs beside the script or that needs a terminal.
func (c *crew) inside(ts *testscript.TestScript, neg bool, args []string) {
	out := c.do(ts, args)
	out.show(ts)
	if (out.Code == 0) == neg {
		ts.Fatalf("exit code %d", out.Code)
	}
}

// code runs ovi and checks its exit code: code 6 apply --auto-approve.
func (c *crew) code(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: code N arguments of ovi")
	}
	got := "0"
	if unexported(ts, "ttyin").Len() > 0 { // a terminal belongs to a process
		if err := ts.Exec("ovi", args[1:]...); err != nil {
			got = exitText(err)
		}
	} else {
		out := c.do(ts, args[1:])
		out.show(ts)
		got = fmt.Sprint(out.Code)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// until runs ovi repeatedly until its output matches: until PATTERN claims.
func (c *crew) until(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: until PATTERN arguments of ovi")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for ; ; time.Sleep(50 * time.Millisecond) {
		if out := c.do(ts, args[1:]); pattern.Match(out.Stdout) {
			out.show(ts)
			return
		}
	}
}
