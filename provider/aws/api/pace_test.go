package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go/middleware"

	"github.com/ovi-project/ovi/provider"
)

// silent answers an attempt after a time; its body takes another one.
type silent struct{ head, body time.Duration }

func (s silent) Do(r *http.Request) (*http.Response, error) {
	if err := passed(r.Context(), s.head); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: &slowBody{ctx: r.Context(), after: s.body}}, nil
}

type slowBody struct {
	ctx   context.Context
	after time.Duration
	read  bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.read {
		return 0, io.EOF
	}
	if err := passed(b.ctx, b.after); err != nil {
		return 0, err
	}
	b.read = true
	return copy(p, "ok"), nil
}

func (b *slowBody) Close() error { return nil }

func passed(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestACallThatHangsEnds(t *testing.T) {
	const long = time.Hour
	for _, x := range []struct {
		operation string
		system    silent
		after     time.Duration // 0: it is answered
	}{
		{"DescribeLogGroups", silent{}, 0},
		{"DescribeLogGroups", silent{head: long}, readDeadline},
		{"DescribeLogGroups", silent{body: long}, readDeadline},
		{"DescribeLogGroups", silent{head: 20 * time.Second, body: 20 * time.Second}, readDeadline},
		{"CreateLogGroup", silent{head: 40 * time.Second}, 0},
		{"CreateLogGroup", silent{head: long}, writeDeadline},
		{"CreateLogGroup", silent{body: long}, writeDeadline},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := middleware.WithOperationName(t.Context(), x.operation)
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			answer, err := NewPace("logs", doer(x.system.Do)).Do(r)
			text := ""
			if err == nil {
				var b []byte
				b, err = io.ReadAll(answer.Body)
				text = string(b)
				_ = answer.Body.Close()
			}
			late := (*NoAnswerError)(nil)
			switch took := time.Since(start); {
			case x.after == 0 && (err != nil || text != "ok"):
				t.Errorf("%s %v: %q, %v", x.operation, x.system, text, err)
			case x.after != 0 && (!errors.As(err, &late) || late.After != x.after || took != x.after):
				t.Errorf("%s %v: after %s: %v", x.operation, x.system, took, err)
			}
		})
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

func TestTheResultOfAWriteWithoutAnAnswerIsUnknown(t *testing.T) {
	err := &NoAnswerError{writeDeadline}
	if got := provider.CauseOf(Classify("logs.CreateLogGroup", err)); got != provider.UnknownResult {
		t.Errorf("a write: %s", got)
	}
	if got := provider.CauseOf(Classify("logs.DescribeLogGroups", err)); got != provider.Unreachable {
		t.Errorf("a read: %s", got)
	}
	if text := Classify("logs.DescribeLogGroups", err).Error(); !strings.Contains(text, "no answer within 30s") &&
		!strings.Contains(text, "no answer within 2m0s") {
		t.Errorf("the text: %s", text)
	}
}
