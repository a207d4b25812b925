package api

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// statusText is the status of an answer and the ID of the request, with which AWS finds the rest.
func statusText(err error) string {
	var response *awshttp.ResponseError
	if !errors.As(err, &response) {
		return ""
	}
	text := fmt.Sprintf("HTTP status %d %s", response.HTTPStatusCode(), http.StatusText(response.HTTPStatusCode()))
	if id := response.ServiceRequestID(); requestIDForm.MatchString(id) {
		text += ", request " + id
	}
	return text
}

// requestIDForm is the form of IDs that AWS gives to requests. No text in another form is shown as one.
var requestIDForm = regexp.MustCompile(`^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Z]{16})$`)
