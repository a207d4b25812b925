package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
)

// CanAsk is nil if a question can be answered.
func (o *Output) CanAsk(stdin io.Reader, suggestion string) error {
	if o.Machine() {
		return Usage(suggestion, "--output %s cannot ask for confirmation", o.Format)
	}
	if _, terminal := Columns(stdin); !terminal {
		return Usage(suggestion, "no terminal to ask for confirmation")
	}
	return nil
}

// ErrCanceled is the answer to a question that was not yes.
var ErrCanceled = errors.New("canceled")

// Ask asks; only the word yes is a yes. Anything else is ErrCanceled.
func (o *Output) Ask(ctx context.Context, stdin io.Reader, question string) error {
	if _, err := fmt.Fprint(o.W, "\n"+question); err != nil {
		return err
	}
	if o.Answer.Unread() {
		return Usage("send the output to a terminal, or add --auto-approve",
			"nothing reads the question; nothing was changed")
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(io.LimitReader(stdin, budget.Text)).ReadString('\n')
		line <- strings.TrimSpace(text)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case text := <-line:
		if text == "yes" {
			return nil
		}
		return ErrCanceled
	}
}
