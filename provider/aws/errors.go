package aws

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ovi-project/ovi/provider"
)

// classify gives an error of the SDK its class, operation, code and hint. An error that has
// a class keeps it.
func classify(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *provider.Error
	if errors.As(err, &known) || errors.Is(err, provider.ErrReplace) || errors.Is(err, provider.ErrElsewhere) {
		return err
	}
	out := &provider.Error{Op: op, Err: err}
	var call *smithy.OperationError
	operation := op
	if errors.As(err, &call) {
		operation = call.Operation()
		out.Op = strings.ReplaceAll(strings.ToLower(call.Service()), " ", "") + "." + operation
		out.Err = call.Unwrap()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		out.Code = api.ErrorCode()
		out.Err = &answer{api: api, err: out.Err}
		out.Class = classOfCode(out.Code, api.ErrorMessage())
		out.Hint = hintFor(out.Code, api.ErrorMessage())
	}
	out.Err = shown(err, out.Err)
	if out.Class == provider.Unclassified {
		out.Class = classOfTransport(err, operation)
	}
	if out.Hint == "" {
		out.Hint = hintForClass(out.Class, err)
	}
	return out
}

// answer shows an error of the service as its code and message, without the SDK's layers;
// those stay underneath.
type answer struct {
	api smithy.APIError
	err error
}

func (a *answer) Error() string {
	text := a.api.ErrorCode()
	if m := a.api.ErrorMessage(); m != "" {
		text += ": " + m
	}
	var spent *retry.MaxAttemptsError
	if errors.As(a.err, &spent) {
		text += ", after the last attempt"
	}
	return text
}

func (a *answer) Unwrap() error { return a.err }

// classOfTransport classifies errors without a code of AWS.
func classOfTransport(err error, operation string) provider.Class {
	var response *smithyhttp.ResponseError
	switch {
	case noCredentials(err):
		return provider.Denied
	case errors.As(err, &response) && response.HTTPStatusCode() > 0:
		return classOfStatus(response.HTTPStatusCode())
	case unreached(err):
		return provider.Transient
	case operation != "" && !reads(operation):
		return provider.Uncertain // no answer: it may have been done
	}
	return provider.Transient
}

func classOfStatus(status int) provider.Class {
	switch {
	case status == http.StatusTooManyRequests:
		return provider.Throttled
	case status >= 500:
		return provider.Transient
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return provider.Denied
	case status == http.StatusNotFound:
		return provider.NotFound
	case status == http.StatusConflict:
		return provider.Conflict
	}
	return provider.Permanent
}

// noCredentials: the SDK has no type for it, only these words.
func noCredentials(err error) bool {
	s := err.Error()
	return strings.Contains(s, "get credentials") || strings.Contains(s, "refresh cached credentials") ||
		strings.Contains(s, "failed to get shared config profile")
}

// codeOf finds AWS's code in an error; empty if it has none.
func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

func hasCode(err error, codes ...string) bool {
	c := codeOf(err)
	return c != "" && slices.Contains(codes, c)
}

// absent reports that a call was refused because the resource does not exist.
func absent(err error) bool {
	return err != nil && provider.ClassOf(classify("", err)) == provider.NotFound
}

func permanent(op string, err error, hint string) error {
	return &provider.Error{Class: provider.Permanent, Op: op, Err: err, Hint: hint}
}

func conflict(op string, err error, hint string) error {
	return &provider.Error{Class: provider.Conflict, Op: op, Err: err, Hint: hint}
}
