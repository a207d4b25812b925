package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/canary"
	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// secretRequest is a request with a secret and a plain attribute.
func secretRequest() *provider.Request {
	return &provider.Request{
		Desired: resource.Desired{
			Ref: resource.Ref{Stack: "shop", Provider: "fake", Location: "l", Kind: "db", Name: "main"},
			Attrs: resource.NewAttrs(
				resource.Attr{Name: "password", Value: resource.NewSecret(canary.Secret, "d")},
				resource.Attr{Name: "image", Value: resource.String("nginx:1")}),
		},
		Have: resource.Observed{ID: "db-1"},
	}
}

// shapes are the ways in which a foreign text comes into an error.
func shapes(said string) map[string]error {
	foreign := errors.New(said)
	return map[string]error{
		"plain":         foreign,
		"message":       &provider.Error{Op: "rds.Create", Code: "Bad", Err: foreign},
		"code":          &provider.Error{Op: "rds.Create", Code: said, Row: provider.Row{Code: "*"}, Err: io.EOF},
		"path":          &provider.Error{Op: "POST /containers/" + said, Err: io.EOF},
		"hint":          &provider.Error{Err: io.EOF, Hint: "remove " + said, Quotes: true},
		"wrapped":       fmt.Errorf("create: %w", &provider.Error{Err: foreign}),
		"wrapping":      fmt.Errorf("%s: %w", said, &provider.Error{Err: io.EOF}),
		"argument":      provider.Errorf("bucket %q exists", said),
		"error":         provider.Errorf("cannot do it: %w", foreign),
		"as a value":    provider.Errorf("%d and %v", 1, []string{said}),
		"joined":        errors.Join(&provider.Error{Err: foreign}, io.EOF, foreign),
		"an engine":     &engineapi.Error{Op: "POST /" + said, Status: 500, Cause: said, Message: said},
		"a lost answer": &engineapi.LostError{Op: "POST /" + said, Err: foreign},
		"concealed":     &provider.Error{Err: errors.New(resource.ConcealText(said, canary.Secret))},
	}
}

// TestNoFormOfASecretPasses: each form in each place of an error, with what the error must keep.
func TestNoFormOfASecretPasses(t *testing.T) {
	t.Parallel()
	if n := len(canary.Mangled()); n < 57 {
		t.Errorf("only %d forms", n)
	}
	r, search := secretRequest(), canary.Search(canary.Secret)
	for _, form := range canary.Mangled() {
		said := form.Encode(canary.Secret)
		for name, err := range shapes(said + " is invalid") {
			text := provider.Quiet(err, r).Error()
			if found := search(text); len(found) > 0 || strings.Contains(text, "is invalid") {
				t.Errorf("%s in %s: %q has %q", form.Name, name, text, found)
			}
			loud, _ := provider.Loud(err)
			if name != "an engine" && name != "concealed" && name != "code" && !strings.Contains(loud, said) && !strings.Contains(loud, fmt.Sprintf("%q", said)[1:3]) {
				t.Errorf("%s in %s: the whole text is %q", form.Name, name, loud)
			}
		}
		if text := provider.QuietMessage("failed: "+said, r); form.Name == "unchanged" && strings.Contains(text, said) {
			t.Errorf("the message of the resource has it: %s", text)
		}
	}
}

// TestWhatAQuietErrorKeeps: what was known before the call, the cause, and the errors by which callers decide.
func TestWhatAQuietErrorKeeps(t *testing.T) {
	t.Parallel()
	r := secretRequest()
	own := errors.New("the claim was lost")
	row := provider.Row{Code: "409", Text: "already in use", Cause: provider.InUse, Hint: "use another name"}
	for name, c := range map[string]struct {
		err  error
		want string
		is   error
	}{
		"code and phrase": {
			&provider.Error{Op: "POST /x", Code: "409", Row: row, Cause: row.Cause, Hint: row.Hint, Err: errors.New("hunter2 is already in use")},
			"POST: 409: already in use " + provider.Withheld + "; Suggestion: use another name", nil,
		},
		"status": {
			&provider.Error{Op: "start", Cause: provider.InUse, Err: &engineapi.Error{Status: 409, Message: "hunter2"}},
			"start: HTTP status 409 Conflict " + provider.Withheld, nil,
		},
		"own words": {
			provider.Errorf("the image %s of %s has %d ports: %w", "nginx:1", r.Desired.Ref.Short(), 3, provider.ErrReplace),
			"the image nginx:1 of db/main has 3 ports: must be replaced", provider.ErrReplace,
		},
		"an interruption": {fmt.Errorf("hunter2: %w", context.Canceled), "context canceled " + provider.Withheld, context.Canceled},
		"accepted":        {fmt.Errorf("hunter2: %w", provider.ErrAccepted), "accepted, and not done yet " + provider.Withheld, provider.ErrAccepted},
		"of the caller":   {fmt.Errorf("hunter2: %w", own), "the claim was lost " + provider.Withheld, own},
	} {
		got := provider.Quiet(c.err, r, own)
		if got.Error() != c.want || c.is != nil && !errors.Is(got, c.is) || provider.CauseOf(got) != provider.CauseOf(c.err) {
			t.Errorf("%s: %q with cause %q, want %q", name, got, provider.CauseOf(got), c.want)
		}
		if again := provider.Quiet(got, r, own); again.Error() != got.Error() {
			t.Errorf("%s: it is not the same again: %q", name, again)
		}
	}
	plain := errors.New("hunter2 is in use")
	if got := provider.Quiet(plain, &provider.Request{}); got != plain { //nolint:errorlint // the same error
		t.Errorf("without a secret: %v", got)
	}
	digest := &provider.Request{Have: resource.Observed{Attrs: resource.NewAttrs(resource.Attr{Name: "password", Value: resource.Digest("d")})}}
	if got := provider.Quiet(plain, digest); strings.Contains(got.Error(), "hunter2") {
		t.Errorf("of a resource that was given one: %v", got)
	}
	ctx := provider.WithRequest(t.Context(), r)
	if got := provider.QuietIn(ctx, plain); strings.Contains(got.Error(), "hunter2") || !provider.IsQuiet(ctx) || provider.IsQuiet(t.Context()) {
		t.Errorf("in a log: %v", got)
	}
}
