package session

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/sshsig"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
)

// SignedAct is the act of an operator, signed if a key is given.
func SignedAct(c *command.Call) (engine.OperatorAction, error) {
	a := Act(c)
	file := command.SignOf(c)
	if file == "" {
		return a, nil
	}
	public := file
	if !strings.HasSuffix(file, ".pub") {
		public += ".pub"
	}
	key, err := PublicKey(public)
	if err != nil {
		return a, err
	}
	a.Sign = engine.Signing{Key: key, Sign: func(ctx context.Context, text []byte) (string,
		error,
	) {
		return sshSign(ctx, c, file, text)
	}}
	return a, nil
}

// PublicKey reads a file with one public SSH key.
func PublicKey(file string) (sshsig.Key, error) {
	b, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return "", &cli.Problem{
			Summary: "cannot read the public SSH key", File: file, Err: cli.Plain(err),
			Suggestion: "a public key is made from a private one with `ssh-keygen -y -f KEY > KEY.pub`",
		}
	}
	key, err := sshsig.ParseKey(string(b))
	if err != nil {
		return "", &cli.Problem{
			Summary: "cannot read the public SSH key", File: file, Err: err,
			Suggestion: "use a file such as ~/.ssh/id_ed25519.pub",
		}
	}
	return key, nil
}

// sshSign lets ssh-keygen sign a text, which asks for a passphrase or a touch at the terminal.
func sshSign(ctx context.Context, c *command.Call, file string, text []byte) (string, error) {
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-f", file, "-n", event.Namespace)
	cmd.Env = nil
	for _, name := range []string{
		"PATH", "HOME", "TERM", "SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE",
		"SSH_SK_PROVIDER", "DISPLAY", "WAYLAND_DISPLAY",
	} {
		if v, ok := c.Env(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	var out, failed bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &failed
	if _, terminal := cli.Columns(c.Stderr); terminal {
		cmd.Stderr = c.Stderr // the prompt of a token
	}
	if err := cmd.Run(); err != nil {
		return "", &cli.Problem{
			Summary: "ssh-keygen did not sign", File: file,
			Err:        errors.Join(cli.Plain(err), errors.New(strings.TrimSpace(failed.String()))),
			Suggestion: "try it alone: ssh-keygen -Y sign -f " + file + " -n " + event.Namespace,
		}
	}
	return out.String(), nil
}

// Unsigned adds what to do next to an error of a signed act.
func Unsigned(err error) error {
	switch {
	case errors.Is(err, event.ErrNotOnRoster):
		return &cli.Problem{
			Summary: "the signature does not count", Err: err,
			Suggestion: "run `ovi signer list` for the keys that do",
		}
	case errors.Is(err, event.ErrLastKey):
		return &cli.Problem{
			Summary: "the last key cannot be removed", Err: err,
			Suggestion: "first add the key that replaces it: `ovi signer add NAME KEYFILE --sign KEYFILE`",
		}
	case errors.Is(err, event.ErrUnsigned), errors.Is(err, ledger.ErrNeedsPerson):
		return &cli.Problem{
			Summary: "it must be signed", Err: err,
			Suggestion: "run it again with --sign KEYFILE: the key of a person that `ovi signer list` names",
		}
	}
	return err
}
