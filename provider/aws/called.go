package aws

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
)

// called logs each attempt of a call at debug: what AWS's support asks for, and no parameter of it,
// because those hold secrets.
type called struct {
	next aws.HTTPClient
	log  hclog.Logger
}

// logCalls puts a log around a client. Without debug the client is returned without a wrapper, and
// a call costs nothing more.
func logCalls(next aws.HTTPClient, log hclog.Logger) aws.HTTPClient {
	if next == nil {
		next = http.DefaultClient
	}
	if !log.IsDebug() {
		return next
	}
	return &called{next: next, log: log}
}

// Do makes the call. The duration ends with the headers of the answer. The wait for the pace is not
// part of it, because the pace is a client around this one.
func (c *called) Do(r *http.Request) (*http.Response, error) {
	begun := time.Now()
	out, err := c.next.Do(r)
	ctx := r.Context()
	fields := []any{
		"call", strings.ReplaceAll(strings.ToLower(awsmiddleware.GetServiceID(ctx)), " ", "") + "." +
			awsmiddleware.GetOperationName(ctx),
		"region", awsmiddleware.GetRegion(ctx), "duration", time.Since(begun).Round(time.Millisecond),
	}
	if err != nil {
		c.log.Debug("AWS call without an answer", append(fields, "error", provider.QuietIn(ctx, err))...)
		return out, err
	}
	// AWS's name of a call, which each service has under a header of its own. An empty text means that the answer has
	// neither header: something other than the service may have sent it.
	id := cmp.Or(out.Header.Get("X-Amzn-Requestid"), out.Header.Get("X-Amz-Request-Id"))
	c.log.Debug("AWS call", append(fields, "status", out.StatusCode, "request_id", id)...)
	return out, nil
}
