package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Classify adds the class, operation, code and hint to an error of the SDK. An error that has a class keeps
// it.
func Classify(op string, err error) error {
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
		out.Class = ClassOfCode(out.Code, api.ErrorMessage())
		out.Hint = HintFor(out.Code, api.ErrorMessage())
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
	case operation != "" && !Reads(operation):
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

// CodeOf finds AWS's code in an error; empty if it has none.
func CodeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// HasCode reports whether AWS answered with one of the error codes.
func HasCode(err error, codes ...string) bool {
	c := CodeOf(err)
	return c != "" && slices.Contains(codes, c)
}

// Absent reports that a call was refused because the resource does not exist.
func Absent(err error) bool {
	return err != nil && provider.ClassOf(Classify("", err)) == provider.NotFound
}

// Permanent returns an error that no retry can change, with a hint for the operator.
func Permanent(op string, err error, hint string) error {
	return &provider.Error{Class: provider.Permanent, Op: op, Err: err, Hint: hint}
}

// Conflict returns an error of the class Conflict, with a hint for the operator.
func Conflict(op string, err error, hint string) error {
	return &provider.Error{Class: provider.Conflict, Op: op, Err: err, Hint: hint}
}

// UnlessAbsent treats an absent resource as removed: it returns nil for the error of a removal whose
// resource does not exist.
func UnlessAbsent(err error) error {
	if err = Classify("", err); Absent(err) {
		return nil
	}
	return err
}

// Same refuses a resource that has the id of the one meant but is another one: a database that
// was deleted and created again under its name.
func Same(meant, now resource.Observed) error {
	if meant.UID == "" || now.UID == "" || meant.UID == now.UID {
		return nil
	}
	return Conflict("", fmt.Errorf("%s %s is another resource than the one observed: it is %s now, and was %s",
		meant.Ref.Kind, meant.ID, now.UID, meant.UID), "run `ovi plan` again")
}

// Taken is the error for a name that is in use.
func Taken(o resource.Observed, r provider.Request) error {
	err := fmt.Errorf("%s %q exists and is unmanaged", r.Desired.Ref.Kind, o.ID)
	if !o.Marks.IsZero() {
		err = fmt.Errorf("%s %q exists and carries the tags of %s", r.Desired.Ref.Kind, o.ID, o.Marks.Ref)
	}
	return Conflict("", err, fmt.Sprintf("use another name, or run `ovi adopt %s/%s --id %s`", r.Desired.Ref.Kind,
		r.Desired.Ref.Name, o.ID))
}
