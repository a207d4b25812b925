package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Classify adds to an error of the SDK its cause, operation, code and advice. An error that has a cause keeps it. op
// is the operation of an error that the SDK did not make.
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
	service, operation := "", op[strings.LastIndexByte(op, '.')+1:]
	if errors.As(err, &call) {
		service, operation = call.Service(), call.Operation()
		out.Op = nameOf(service) + "." + operation
		out.Err = call.Unwrap()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		out.Code = plainCode(api.ErrorCode())
		out.Err = &answer{api: api, err: out.Err}
	}
	var unread *smithy.DeserializationError
	row, ok := provider.Row{}, false
	switch {
	case out.Code != "":
		if row, ok = CauseOfCode(service, operation, out.Code, api.ErrorMessage()); !ok {
			row = rowOfStatus(err)
		}
	case errors.As(err, &unread):
		row = rowOfGarbage(err, operation)
		out.Err = fmt.Errorf("the answer is not one of AWS: %w", unread.Err)
	default:
		row = rowWithoutAnswer(err, call != nil, operation)
	}
	out.Cause, out.Absent, out.Hint, out.Row = row.Cause, row.Absent, row.Hint, row
	inTable := ok && out.Code != "" && out.Code == api.ErrorCode()
	if out.Err = shown(err, out.Err, inTable); !inTable && out.Code != "" && hasSecret(err) {
		out.Code = unknownCode
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
	text := plainCode(a.api.ErrorCode())
	if m := a.api.ErrorMessage(); m != "" {
		if i := strings.Index(strings.ToLower(m), encoded); i >= 0 { // only AWS can decode what follows
			m = strings.TrimRight(m[:i], " .:") + " (with an encoded message)"
		}
		text += ": " + m
	}
	var spent *retry.MaxAttemptsError
	if errors.As(a.err, &spent) {
		text += ", after the last attempt"
	}
	return text
}

func (a *answer) Unwrap() error { return a.err }

// OwnText is the status and the ID of the request; the code is in the table, or it is not shown.
func (a *answer) OwnText() (text string, whole bool) { return statusText(a.err), false }

// plainCode returns a code in the form of AWS; a proxy, or a service in the name of AWS, can answer anything.
func plainCode(code string) string {
	const longest = 128
	isOther := func(r rune) bool {
		return !strings.ContainsRune(" .:_-", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}
	if len(code) > longest || strings.ContainsFunc(code, isOther) {
		return "an unreadable code"
	}
	return code
}

// Encoded returns the part of a refusal that only AWS can decode; "" if it has none, or if its call had a secret.
func Encoded(err error) string {
	var api smithy.APIError
	var secret *secretError
	if errors.As(err, &secret) || !errors.As(err, &api) {
		return ""
	}
	message := api.ErrorMessage()
	if i := strings.Index(strings.ToLower(message), encoded); i >= 0 {
		return strings.TrimLeft(message[i+len(encoded):], ": ")
	}
	return ""
}

// rowOfGarbage is the row of an answer that the SDK cannot read, such as the page of a proxy.
func rowOfGarbage(err error, operation string) provider.Row {
	row := provider.Row{Cause: provider.Unreachable, Hint: "check AWS_ENDPOINT_URL, and the proxies on the way to AWS"}
	if status := statusOf(err); status < http.StatusBadRequest && !Reads(operation) {
		row.Cause = provider.UnknownResult // it was accepted
	}
	return row
}

// rowWithoutAnswer is the row of an error that no service answered with. Only a known failure of the connection is
// repeated: any other error would be repeated without end.
func rowWithoutAnswer(err error, called bool, operation string) provider.Row {
	lost := provider.Row{Cause: provider.Unreachable}
	if operation != "" && !Reads(operation) { // it may have been done
		lost = provider.Row{Cause: provider.UnknownResult, Hint: "run `ovi plan` to find out whether it was done"}
	}
	var unsent *smithy.SerializationError
	var invalid *smithy.InvalidParamsError
	switch {
	case noCredentials(err):
		return provider.Row{
			Cause: provider.Expired, Hint: "run `aws configure`, use --profile, or try it with --sandbox",
		}
	case statusOf(err) > 0:
		return rowOfStatus(err)
	case unreached(err):
		return provider.Row{Cause: provider.Unreachable}
	case errors.As(err, &unsent), errors.As(err, &invalid):
		return provider.Row{}
	case disconnected(err), called && !Reads(operation):
		return lost
	}
	return provider.Row{}
}

// rowOfStatus is the row of an answer with a code that the table does not have. Any other status is
// unclassified, which counts against the configuration.
func rowOfStatus(err error) provider.Row {
	switch status := statusOf(err); {
	case status == http.StatusTooManyRequests:
		return provider.Row{Cause: provider.Throttled}
	case status >= http.StatusInternalServerError:
		return provider.Row{Cause: provider.Unreachable}
	case status == http.StatusUnauthorized:
		return provider.Row{Cause: provider.Expired}
	case status == http.StatusForbidden:
		return provider.Row{Cause: provider.Denied, Hint: hintPolicy}
	case status == http.StatusNotFound:
		return provider.Row{Cause: provider.Configuration, Absent: true}
	case status == http.StatusConflict:
		return provider.Row{Cause: provider.InUse}
	}
	return provider.Row{}
}

// statusOf returns the HTTP status of an answer; 0 if there was none.
func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// disconnected reports that a connection broke, or that the call was cut off. The end of the
// context is one: the service may have taken the request before.
func disconnected(err error) bool {
	var network net.Error
	var silent *NoAnswerError
	return errors.As(err, &network) || errors.As(err, &silent) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// noCredentials: the SDK has no type for it, only these words.
func noCredentials(err error) bool {
	s := err.Error()
	return strings.Contains(s, "get credentials") || strings.Contains(s, "refresh cached credentials") ||
		strings.Contains(s, "failed to get shared config profile")
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
	return err != nil && provider.Absent(Classify("", err))
}

// Mistake returns the error of a configuration that fails again, with a hint for the operator.
func Mistake(op string, err error, hint string) error {
	return &provider.Error{Cause: provider.Configuration, Op: op, Err: err, Hint: hint}
}

// InUse returns the error of a request that another resource blocks, with a hint for the operator.
func InUse(op string, err error, hint string) error {
	return &provider.Error{Cause: provider.InUse, Op: op, Err: err, Hint: hint}
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
// was deleted and created again under its name. Without a UID on one side, the two count as the
// same.
func Same(meant, now resource.Observed) error {
	if meant.UID == "" || now.UID == "" || meant.UID == now.UID {
		return nil
	}
	return InUse("", provider.Errorf("%s %s is another resource than the one observed: it is %s now, and was %s",
		meant.Ref.Kind, meant.ID, now.UID, meant.UID), "run `ovi plan` again")
}

// Taken is the error for a name that is in use.
func Taken(o resource.Observed, r provider.Request) error {
	if r.Gives(o.ID) { // only a check has this: its action comes after the one that gives the thing up
		return nil
	}
	err := provider.Errorf("%s %q exists and is unmanaged", r.Desired.Ref.Kind, o.ID)
	if !o.Marks.IsZero() {
		err = provider.Errorf("%s %q exists and carries the tags of %s", r.Desired.Ref.Kind, o.ID, o.Marks.Ref)
	}
	return &provider.Error{
		Cause: provider.InUse, Err: err, Quotes: true, Hint: fmt.Sprintf(
			"use another name, or run `ovi adopt %s/%s --id %s`", r.Desired.Ref.Kind, r.Desired.Ref.Name, o.ID),
	}
}
