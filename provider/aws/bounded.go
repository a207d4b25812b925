package aws

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ovi-project/ovi/internal/budget"
)

// bounded is a client whose answers end with an error behind a limit, so that a service, or a proxy in front of it,
// cannot fill the memory. No answer of a call that ovi makes comes near the limit.
type bounded struct{ next aws.HTTPClient }

// Do makes the call. An answer that announces more than the limit is refused before its body is
// read, and a body without a length ends with an error at the limit. A HEAD is exempt: its
// Content-Length is the length of a body that is not sent (RFC 9110, section 9.3.2).
func (b bounded) Do(r *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultClient
	}
	answer, err := next.Do(r)
	if err != nil {
		return answer, err
	}
	limit := int64(budget.Answer)
	if answer.StatusCode >= http.StatusBadRequest {
		limit = budget.Text // a code and a message
	}
	if answer.ContentLength > limit && r.Method != http.MethodHead {
		_ = answer.Body.Close() // only read from
		return nil, &budget.TooLargeError{What: "the answer of AWS", Limit: limit}
	}
	answer.Body = budget.Body(answer.Body, "the answer of AWS", limit)
	return answer, nil
}
