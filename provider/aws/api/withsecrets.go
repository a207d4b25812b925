package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"
)

// secretError is an error of a call that carried a secret. A service may quote the request in any
// form, so only its code and the ID of the request are shown: with that, AWS finds the rest.
type secretError struct {
	err   error
	known bool // whether its code is in the table of causes
}

func (e *secretError) Unwrap() error { return e.err }

func (e *secretError) Error() string {
	return e.unnoted() + " (its message is not shown: the request has a secret)"
}

// unnoted returns the code or the status, and the ID of the request, but no message of the service.
func (e *secretError) unnoted() string {
	text := "no answer of the service"
	var response *awshttp.ResponseError
	hasResponse := errors.As(e.err, &response)
	var api smithy.APIError
	switch {
	case errors.As(e.err, &api) && e.known:
		text = api.ErrorCode()
	case api != nil:
		text = unknownCode
	case errors.Is(e.err, context.Canceled), errors.Is(e.err, context.DeadlineExceeded):
		text = "the call was interrupted"
	case hasResponse:
		text = fmt.Sprintf("HTTP status %d %s", response.HTTPStatusCode(), http.StatusText(response.HTTPStatusCode()))
	}
	if hasResponse && requestIDForm.MatchString(response.ServiceRequestID()) {
		text += ", request " + response.ServiceRequestID()
	}
	return text
}

// unknownCode replaces a code that is not in the table. Code and message come from the same sender, and a code can
// quote the request as well.
const unknownCode = "an unknown code"

// OwnText is the text without the note about the message.
func (e *secretError) OwnText() (text string, whole bool) {
	if text = statusText(e.err); text != "" {
		return text, false
	}
	return e.unnoted(), false
}

// Loud returns the message.
func (e *secretError) Loud() string { return e.err.Error() }

// shown returns the part of an error that may be shown. For a call with a secret it omits the service's
// message, which may quote the secret, and a code that is not known.
func shown(err, otherwise error, known bool) error {
	var secret *secretError
	if errors.As(err, &secret) {
		return &secretError{secret.err, known}
	}
	return otherwise
}

// hasSecret reports whether the call of an error carried a secret.
func hasSecret(err error) bool {
	var secret *secretError
	return errors.As(err, &secret)
}

// call is an API call. callsgen tells why a Region has calls and no clients.
type call[I, O, C any] = func(context.Context, *I, ...func(*C)) (*O, error)

// withSecret is a call whose input has a secret where has reports it.
func withSecret[I, O, C any](do call[I, O, C], has func(*I) bool) call[I, O, C] {
	return func(ctx context.Context, in *I, options ...func(*C)) (*O, error) {
		out, err := do(ctx, in, options...)
		if err != nil && has(in) {
			err = &secretError{err: err}
		}
		return out, err
	}
}

// The functions from here on are named by callsgen: a call in Calls.Secrets has one.
func runInstancesHasSecret(in *ec2.RunInstancesInput) bool { return in.UserData != nil }

func modifyInstanceAttributeHasSecret(in *ec2.ModifyInstanceAttributeInput) bool {
	return in.UserData != nil
}

func createLaunchTemplateHasSecret(in *ec2.CreateLaunchTemplateInput) bool {
	return in.LaunchTemplateData != nil && in.LaunchTemplateData.UserData != nil
}

func createLaunchTemplateVersionHasSecret(in *ec2.CreateLaunchTemplateVersionInput) bool {
	return in.LaunchTemplateData != nil && in.LaunchTemplateData.UserData != nil
}

func createDBInstanceHasSecret(in *rds.CreateDBInstanceInput) bool {
	return in.MasterUserPassword != nil
}

func modifyDBInstanceHasSecret(in *rds.ModifyDBInstanceInput) bool {
	return in.MasterUserPassword != nil
}

func createSecretHasSecret(in *secretsmanager.CreateSecretInput) bool { return in.SecretString != nil }

func updateSecretHasSecret(in *secretsmanager.UpdateSecretInput) bool { return in.SecretString != nil }
