package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ovi-project/ovi/provider"
)

// TestErrorsOfCallsWithASecretHaveNoMessage: code and request stay, class and hint too; without a secret
// in the input nothing is hidden.
func TestErrorsOfCallsWithASecretHaveNoMessage(t *testing.T) {
	t.Parallel()
	const id = "0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f"
	refused := &smithy.GenericAPIError{Code: "InvalidParameterValue", Message: "hunter2 is too weak"}
	withID := func(err error, id string) error {
		return &awshttp.ResponseError{RequestID: id, ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusBadRequest}}, Err: err,
		}}
	}
	response := func(err error) error { return withID(err, id) }
	for _, c := range []struct {
		name, want string
		err        error
		class      provider.Cause
	}{
		{"an answer", "rds.CreateDBInstance: InvalidParameterValue, request " + id, response(refused), provider.Configuration},
		{"an answer that cannot be read", "HTTP status 400 Bad Request, request " + id, response(errors.New("bad XML: <p>hunter2</p>")), provider.Unclassified},
		{"a code that quotes", "rds.CreateDBInstance: an unknown code, request " + id, response(&smithy.GenericAPIError{Code: "hunter2"}), provider.Unclassified},
		{"no answer", "no answer of the service", errors.New("write hunter2: broken pipe"), provider.UnknownResult},
		{"an ID that quotes", "rds.CreateDBInstance: InvalidParameterValue (", withID(refused, "hunter2"), provider.Configuration},
		{"an interruption", "the call was interrupted", context.Canceled, provider.UnknownResult},
	} {
		do := func(context.Context, *rds.CreateDBInstanceInput, ...func(*rds.Options)) (*rds.CreateDBInstanceOutput, error) {
			return nil, &smithy.OperationError{ServiceID: "RDS", OperationName: "CreateDBInstance", Err: c.err}
		}
		call := withSecret(do, createDBInstanceHasSecret)
		_, err := call(t.Context(), &rds.CreateDBInstanceInput{MasterUserPassword: sdk.String("hunter2")})
		err = Classify("", err)
		if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, c.want) || provider.CauseOf(err) != c.class {
			t.Errorf("%s: %v of class %v, want %q of %v", c.name, err, provider.CauseOf(err), c.want, c.class)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%s: the error underneath is lost", c.name)
		}
		if _, err := call(t.Context(), &rds.CreateDBInstanceInput{}); strings.Contains(Classify("", err).Error(), "is not shown") {
			t.Errorf("%s: without a secret it is %v", c.name, err)
		}
	}
}
