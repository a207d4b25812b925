package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/secrets"
)

// Withheld ends an error of which a part is not shown.
const Withheld = "(its message is not shown: the request has a secret; --show-errors shows it on a terminal)"

// omitted stands for an argument that was not known before the call.
const omitted = "..."

// Errorf returns an error whose format ovi wrote. Quiet keeps the format, numbers, and the arguments that were known
// before the call. %w wraps, as in fmt.Errorf.
func Errorf(format string, args ...any) error {
	return &formatted{fmt.Errorf(format, args...), format, args}
}

type formatted struct {
	error
	format string
	args   []any
}

func (e *formatted) Unwrap() []error {
	var out []error
	for _, a := range e.args {
		if err, is := a.(error); is {
			out = append(out, err)
		}
	}
	return out
}

// OwnText is an error that has a text without any text of another system: a status, the ID of a request.
type OwnText interface {
	error
	// OwnText returns that text. Whole means that the error has no other text.
	OwnText() (text string, whole bool)
}

// Carries reports whether a request has a secret, or is about a resource that was given one.
func Carries(r *Request) bool {
	carries := func(v resource.Value) bool { return len(secrets.Sources(v)) > 0 || secrets.Missing(v) }
	of := func(o *resource.Observed) bool { return o != nil && carries(o.Attrs) }
	return carries(r.Desired.Attrs) || of(&r.Have) || of(r.Beside) || of(r.Replaces) ||
		slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return carries(c.From) || carries(c.To) })
}

// Quiet returns the error of an action whose request has a secret, without any text of another system that was not
// known before the action: each call of the action may quote the secret in a form that no search finds.
// Status, code and phrase of the provider's table, and the ID of the request are kept, with the cause and the
// suggestion. The result does not wrap the error, but wraps the errors by which callers decide. The error of a request
// without a secret is not changed. Decisive are errors of callers, with fixed texts.
func Quiet(err error, r *Request, decisive ...error) error {
	if err == nil || !Carries(r) {
		return err
	}
	w := withholding{known: knownIn(r), decisive: append(decisive, fixed()...)}
	top, isTop := err.(*Error) //nolint:errorlint // only the outermost error is shown with its operation
	var text string
	if isTop {
		text = w.body(top)
	} else {
		text = w.text(err)
	}
	if w.withheld || text == "" {
		text = strings.TrimPrefix(text+" "+Withheld, " ")
	}
	inner := &quietError{resource.Conceal(text, given(r)), w.kept}
	var of *Error
	if !errors.As(err, &of) {
		return inner
	}
	out := &Error{Cause: of.Cause, Absent: of.Absent, Code: of.knownCode(), Err: inner, Row: Row{Text: of.Row.Text}}
	if out.Row.Code = out.Code; isTop {
		out.Op = operation(of.Op)
	}
	if !of.Quotes {
		out.Hint = resource.Conceal(of.Hint, given(r))
	}
	return out
}

type requestKey struct{}

// WithRequest returns a context for the calls of one action, so that its provider can log by QuietIn.
func WithRequest(ctx context.Context, r *Request) context.Context {
	if !Carries(r) {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, r)
}

// QuietIn returns an error for a log that is written during an action, as Quiet does for the error of the action.
func QuietIn(ctx context.Context, err error) error {
	if r, of := ctx.Value(requestKey{}).(*Request); of {
		return Quiet(err, r)
	}
	return err
}

// IsQuiet reports whether a call belongs to an action whose request has a secret.
func IsQuiet(ctx context.Context) bool { return ctx.Value(requestKey{}) != nil }

// QuietMessage returns the message of a resource without the secrets of the request that changed it.
func QuietMessage(message string, r *Request) string {
	if message == "" || !Carries(r) {
		return message
	}
	return resource.Conceal(message, given(r))
}

// Loud returns the text of an error with the messages that its provider does not show. More means that there are any.
func Loud(err error) (text string, more bool) {
	text = err.Error()
	eachOf(err, func(e error) {
		if l, is := e.(interface{ Loud() string }); is {
			text, more = text+"\n"+l.Loud(), true
		}
	})
	return text, more
}

// WithOutput adds to an error what a program with a secret printed. Only Loud returns the output.
func WithOutput(err error, output string) error {
	if output == "" {
		return err
	}
	if of, is := err.(*Error); is { //nolint:errorlint // the outermost error keeps its operation, cause and suggestion
		with := *of
		with.Err = &outputError{of.Err, output}
		return &with
	}
	return &outputError{err, output}
}

type outputError struct {
	error
	output string
}

func (e *outputError) Unwrap() error { return e.error }
func (e *outputError) Loud() string  { return e.output }

// quietError is an error without text of another system.
type quietError struct {
	text string
	kept []error
}

func (e *quietError) Error() string   { return e.text }
func (e *quietError) Unwrap() []error { return e.kept }

// withholding collects the text of an error that may be shown.
type withholding struct {
	known    func(string) bool // before the call
	decisive []error           // with fixed texts
	withheld bool
	kept     []error // by which callers decide
}

// fixed returns the errors with fixed texts by which callers decide.
func fixed() []error {
	return []error{
		ErrReplace, ErrAccepted, ErrElsewhere, context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF,
		net.ErrClosed, os.ErrDeadlineExceeded, os.ErrNotExist, os.ErrExist, os.ErrPermission,
	}
}

func (w *withholding) text(err error) string {
	switch e := err.(type) { //nolint:errorlint // each layer is visited
	case *Error:
		return joined(operation(e.Op), w.body(e))
	case *formatted:
		return fmt.Sprintf(strings.ReplaceAll(e.format, "%w", "%v"), w.arguments(e.args)...)
	case *outputError:
		return w.text(e.error)
	case *quietError:
		w.kept = append(w.kept, e.kept...)
		return e.text
	case OwnText:
		text, whole := e.OwnText()
		w.inner(err)
		w.kept = append(w.kept, err)
		w.withheld = w.withheld || !whole
		return text
	case syscall.Errno:
		return e.Error()
	}
	if slices.ContainsFunc(w.decisive, func(d error) bool { return d == err }) { //nolint:errorlint // this layer alone
		w.kept = append(w.kept, err)
		return err.Error()
	}
	w.withheld = true
	return w.inner(err)
}

// inner returns the text of the errors that one wraps.
func (w *withholding) inner(err error) string {
	var out []string
	for _, e := range unwrapped(err) {
		out = append(out, w.text(e))
	}
	return joined(out...)
}

// body returns the text of an error without its operation.
func (w *withholding) body(e *Error) string {
	if _, done := e.Err.(*quietError); done { //nolint:errorlint // the text has code and phrase already
		return w.text(e.Err)
	}
	return joined(e.knownCode(), e.Row.Text, w.text(e.Err))
}

// joined joins texts that are not empty, each once.
func joined(all ...string) string {
	var out []string
	for _, s := range all {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ": ")
}

// knownCode returns the code if the provider's table has it, or if it is one of ovi.
func (e *Error) knownCode() string {
	if e.Code == e.Row.Code || e.Code == NotHealthy || slices.Contains(Causes(), Cause(e.Code)) {
		return e.Code
	}
	return ""
}

// operation returns an operation without its path, which may have an ID that the other system chose.
func operation(op string) string {
	verb, _, _ := strings.Cut(op, "/")
	return strings.TrimSpace(verb)
}

func (w *withholding) arguments(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if err, is := a.(error); is {
			out[i] = w.text(err)
			continue
		}
		if a == nil || reflect.TypeOf(a).Kind() < reflect.Complex64 { // a number or a bool
			out[i] = a
		} else if out[i] = fmt.Sprint(a); !w.known(fmt.Sprint(a)) {
			out[i], w.withheld = omitted, true
		}
	}
	return out
}

// knownIn returns the texts that a request had before it was sent, other than its secrets.
func knownIn(r *Request) func(string) bool {
	texts := map[string]bool{"": true}
	for _, h := range []resource.Health{
		resource.Healthy, resource.Failing, resource.Pending, resource.Stopped, resource.Unclear,
	} {
		texts[string(h)] = true
	}
	for _, ref := range []resource.Ref{r.Desired.Ref, r.Have.Ref} {
		for _, s := range []string{
			ref.Stack, ref.Provider, ref.Location, ref.Kind, ref.Name, ref.Short(), ref.String(),
		} {
			texts[s] = true
		}
		texts[ref.Location[strings.LastIndexByte(ref.Location, '/')+1:]] = true // the region of an account
	}
	for _, o := range []*resource.Observed{&r.Have, r.Beside, r.Replaces} {
		if o != nil {
			texts[o.ID], texts[o.UID], texts[o.Natural] = true, true, true
		}
	}
	addPlain(texts, r.Desired.Attrs)
	for _, c := range r.Changes {
		texts[c.Path] = true
		addPlain(texts, c.To)
	}
	return func(s string) bool { return texts[s] }
}

// addPlain adds the names and the plain texts of a value.
func addPlain(texts map[string]bool, v resource.Value) {
	switch v := v.(type) {
	case resource.String:
		texts[string(v)] = true
	case resource.List:
		for _, e := range v {
			addPlain(texts, e)
		}
	case resource.Attrs:
		for _, a := range v {
			texts[a.Name] = true
			addPlain(texts, a.Value)
		}
	}
}

// given returns the values of a request with its secrets.
func given(r *Request) resource.Value {
	out := resource.List{r.Desired.Attrs}
	for _, c := range r.Changes {
		out = append(out, c.To)
	}
	return out
}

// unwrapped returns the errors that one wraps.
func unwrapped(err error) []error {
	switch e := err.(type) { //nolint:errorlint // each layer is visited
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

// eachOf calls do with an error and with all errors that it wraps.
func eachOf(err error, do func(error)) {
	do(err)
	for _, e := range unwrapped(err) {
		eachOf(e, do)
	}
}
