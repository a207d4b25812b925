package gitclone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

const (
	// endWait is how long git may take to end after its context.
	endWait = 5 * time.Second
	// callWait is the Wait of a clone that sets none.
	callWait = 2 * time.Minute
	// askWait bounds a question, whose answer is small: a server that moves no pack of objects answers within it, and
	// a silent one holds up a cycle that asks for new commits no longer.
	askWait = 20 * time.Second
	// maxError is how much of what git prints about a failure is shown.
	maxError = 2000
)

// Error is a failure of the git program.
type Error struct {
	Op   string // "fetch"
	Text string // what git printed, without secrets
	Err  error
}

func (e *Error) Error() string {
	if e.Text == "" {
		return "git " + e.Op + ": " + e.Err.Error()
	}
	return "git " + e.Op + ": " + e.Text
}

// OwnText is the command.
func (e *Error) OwnText() (text string, whole bool) { return "git " + e.Op, false }

func (e *Error) Unwrap() error { return e.Err }

// tokenVariable holds the password of an https remote. It is given to git by a credential helper, in the
// environment alone: arguments are visible to other users of the host.
const tokenVariable = "OVI_GIT_TOKEN"

// tokenForVariable has the host, with its port if it has one, that gets the token. Without it, the token goes only to
// the host of a remote that an operator named.
const tokenForVariable = "OVI_GIT_TOKEN_FOR"

func (c *Clone) env(name string) (string, bool) {
	if c.Env == nil {
		return "", false
	}
	return c.Env(name)
}

// environ is the environment of git, which runs in a folder.
func (c *Clone) environ(dir string) []string {
	env := []string{
		"HOME=" + dir, "LC_ALL=C", "GIT_DIR=" + dir, "GIT_COMMON_DIR=" + dir, "GIT_TERMINAL_PROMPT=0",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_LITERAL_PATHSPECS=1", "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
	}
	// Git gets of the user's environment how to find programs and servers, and which keys to use. Everything else,
	// the user's settings of git too, stays outside.
	passed := []string{
		"PATH", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "HTTPS_PROXY", "https_proxy", "NO_PROXY",
		"no_proxy", "TMPDIR",
	}
	for _, name := range passed {
		if v, ok := c.env(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if _, ok := c.env("GIT_SSH_COMMAND"); !ok {
		env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	if token, host := c.token(); token != "" {
		// a proxy that asks for a password does not get it
		env = append(env, tokenVariable+"="+token,
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.https://"+host+".helper",
			`GIT_CONFIG_VALUE_0=!f() { test "$1" = get && echo username=git && echo "password=$`+tokenVariable+`"; }; f`)
	}
	return env
}

// token is the password of the remote, which only https has, and the host that it is for.
func (c *Clone) token() (token, of string) {
	if c.scheme() != "https" {
		return "", ""
	}
	u, err := url.Parse(c.Remote)
	host, given := c.env(tokenForVariable)
	if err != nil || given && !strings.EqualFold(u.Host, host) || !given && !c.Own {
		return "", ""
	}
	token, _ = c.env(tokenVariable)
	return token, u.Host
}

// withheld is the advice for a remote that does not get the token; "" if it gets the token, or there is none.
func (c *Clone) withheld() string {
	u, err := url.Parse(c.Remote)
	given, _ := c.env(tokenVariable)
	if token, _ := c.token(); given == "" || token != "" || c.scheme() != "https" || err != nil {
		return ""
	}
	return "if the server of the repository may have OVI_GIT_TOKEN, set OVI_GIT_TOKEN_FOR=" + u.Host
}

// Call is one run of the program.
type Call struct {
	Op     string
	Args   []string
	Config []string // NAME=VALUE
	Stdin  io.Reader
	Out    io.Writer
}

// waitFor returns how long a command of git may take.
func (c *Clone) waitFor(op string) time.Duration {
	wait := cmp.Or(c.Wait, callWait)
	if op == "ls-remote" {
		return min(wait, askWait)
	}
	return wait
}

// Git runs the program and returns what it prints.
func (c *Clone) Git(ctx context.Context, op string, args ...string) ([]byte, error) {
	out := budget.Buffer{What: "the output of git " + op, Limit: budget.Answer}
	err := c.Run(ctx, Call{Op: op, Args: args, Out: &out})
	return out.Bytes(), err
}

// Run runs the program. A failure is an *Error.
func (c *Clone) Run(ctx context.Context, x Call) error {
	wait := c.waitFor(x.Op)
	ctx, stop := context.WithTimeoutCause(ctx, wait, fmt.Errorf("no answer within %s: %w", wait, context.DeadlineExceeded))
	defer stop()
	args := []string{
		"-c", "protocol.allow=never", "-c", "protocol." + c.scheme() + ".allow=always", "-c", "core.hooksPath=/dev/null",
		"-c", "fetch.fsckObjects=true", "-c", "gc.auto=0", "-c", "http.followRedirects=false", "-c", "core.fsmonitor=false",
		"-c", "gpg.ssh.allowedSignersFile=" + c.Signers, "-c", "remote.origin.url=" + c.Remote,
	}
	for _, setting := range x.Config {
		args = append(args, "-c", setting)
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return &Error{Op: x.Op, Err: err}
	}
	if c.exists() {
		if err := configure(dir); err != nil {
			return &Error{Op: x.Op, Err: err}
		}
	}
	end := func(_ context.Context, err error) error { return err }
	if x.Op == "fetch" {
		bounded, f := c.bound(ctx, dir)
		ctx, end = bounded, f.end
		args = append(args, "-c", "fetch.unpackLimit=1") // all of it is in one pack
	}
	return end(ctx, c.start(ctx, dir, args, x))
}

func (c *Clone) start(ctx context.Context, dir string, args []string, x Call) error {
	most := c.memoryFor(x.Op)
	cmd, err := command(ctx, most, append(append(args, x.Op), x.Args...))
	if err != nil {
		return &Error{Op: x.Op, Err: err}
	}
	said := budget.Head{Limit: budget.Text}
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.environ(dir), dir, x.Stdin, x.Out, &said,
		endWait
	grouped(cmd)
	err = cmd.Run()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return &Error{Op: x.Op, Err: context.Cause(ctx)}
	case exhausted(said.String()):
		return &Error{Op: x.Op, Err: &budget.TooLargeError{What: "the memory that git needs for the answer", Limit: most}}
	}
	// What git printed is shown on one line, shortened and without the token.
	text := said.String()
	if token, _ := c.token(); token != "" {
		text = strings.ReplaceAll(text, token, "(secret)")
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	if advice := c.withheld(); advice != "" {
		text += " (" + advice + ")"
	}
	return &Error{Op: x.Op, Text: text, Err: err}
}
