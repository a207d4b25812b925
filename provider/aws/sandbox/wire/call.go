// Package wire speaks AWS's protocols for the sandbox: it reads a signed HTTP request into a Call, and writes the
// result or the Error of its handler in the form of the service: the query protocol and EC2's dialect of it, REST-XML,
// and JSON 1.1.
//
// It promises that a refusal always has a form that the client can read, and that Params remembers which parameters
// no handler read. It knows no entity and keeps nothing.
package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// Call is a request as every handler sees it, whatever protocol it came in.
type Call struct {
	Service string // as its requests are signed: ec2, rds, logs
	Region  string
	Account string // of the role whose credentials signed it; "" means the first account
	Action  string
	P       *Params
	JSON    json.RawMessage // the body, for JSON protocols
	Rest    *RestCall       // S3 and Route 53
}

// RestCall is what S3 and Route 53 need beyond an action: their parameters are everywhere. The bucket of
// Route 53 is the resource that the path names.
type RestCall struct {
	Bucket, Key string
	Query       url.Values
	Header      http.Header
	Body        []byte
}

// scopeOf reads region and service from the credential scope of the
// Authorization header ("Signing AWS API requests"). Signatures are not
// checked: this is a sandbox.
var scopeOf = Late(`^AWS4-(?:HMAC-SHA256|ECDSA-P256-SHA256) Credential=[^/\s]+/\d{8}/([a-z0-9-]+)` +
	`/([a-z0-9-]+)/aws4_request`)

// RegionName is the form of the name of a region.
var RegionName = Late(`^[a-z]{2}(-[a-z]+)+-\d{1,2}$`)

// ParseCall reads a request. The call is useful for an answer in its form also where it is refused.
func ParseCall(r *http.Request, body []byte) (*Call, error) {
	auth := r.Header.Get("Authorization")
	m := scopeOf.FindStringSubmatch(auth)
	switch {
	case auth == "":
		return guess(r), FailAs(403, "MissingAuthenticationToken", "Request is missing Authentication Token")
	case m == nil:
		return guess(r), FailAs(400, "IncompleteSignature",
			"The Authorization header has no credential scope of the form KEY/DATE/REGION/SERVICE/aws4_request.")
	}
	c := &Call{Region: m[1], Service: m[2]}
	if key := assumedKey.FindStringSubmatch(auth); key != nil {
		c.Account = key[1]
	}
	if !RegionName.MatchString(c.Region) {
		return c, FailAs(403, "SignatureDoesNotMatch", "Credential should be scoped to a valid region, not %q.", c.Region)
	}
	switch c.Service {
	case "s3":
		return c, c.parseREST(r, body)
	case "route53":
		return c, c.parseDNS(r, body)
	case "ssm", "acm", "kms", "logs", "secretsmanager":
		return c, c.parseJSON(r, body)
	case "ec2", "rds", "sts", "iam", "elasticloadbalancing", "autoscaling":
		return c, c.parseQuery(r, body)
	default:
		return c, FailAs(404, "UnknownService",
			"The sandbox has no service %q; it has acm, autoscaling, ec2, elasticloadbalancing, iam, kms, logs, rds, route53, "+
				"s3, secretsmanager, ssm and sts.", c.Service)
	}
}

// guess names the service of a request that was not signed, so that the
// refusal comes in a form that its client can read.
func guess(r *http.Request) *Call {
	c := &Call{Service: "ec2", Region: "us-east-1", Action: "-"}
	switch {
	case r.Header.Get("X-Amz-Target") != "":
		c.Service = "ssm"
	case r.Method != http.MethodPost && !r.URL.Query().Has("Action"):
		c.Service = "s3"
	}
	return c
}

func (c *Call) parseQuery(r *http.Request, body []byte) error {
	values := r.URL.Query()
	if r.Method == http.MethodPost {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return Failf("MalformedQueryString", "The query string contains a syntax error: %v", err)
		}
		for k, v := range form {
			values[k] = v
		}
	}
	var err error
	if c.P, err = ParseParams(values); err != nil {
		return err
	}
	c.Action = c.P.Str("Action")
	c.P.Str("Version")
	if c.Action == "" {
		return Failf("MissingAction", "The request is missing an action.")
	}
	return nil
}

func (c *Call) parseJSON(r *http.Request, body []byte) error {
	_, c.Action, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c.JSON = body
	if c.Action == "" {
		return Failf("UnknownOperationException", "The request is missing an X-Amz-Target.")
	}
	return nil
}

// Read says that an action changes nothing, by AWS's own naming.
func (c *Call) Read() bool {
	for _, prefix := range []string{"Describe", "Get", "List", "Head"} {
		if strings.HasPrefix(c.Action, prefix) {
			return true
		}
	}
	return false
}

// Account is the account number of the sandbox.
const Account = "000000000000"

// assumedKey is an access key of a role: it has the account.
var assumedKey = Late(`^AWS4-\S+ Credential=ASIASANDBOX([0-9]{12})/`)
