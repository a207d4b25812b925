package bucket

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// corsRule is what pages from elsewhere may do with a bucket's objects.
type corsRule struct {
	ID      string   `json:"id,omitempty" xml:",omitempty"`
	Methods []string `json:"methods" xml:"AllowedMethod"`
	Origins []string `json:"origins" xml:"AllowedOrigin"`
	Headers []string `json:"headers,omitempty" xml:"AllowedHeader"`
	Expose  []string `json:"expose,omitempty" xml:"ExposeHeader"`
	MaxAge  *int     `json:"max_age,omitempty" xml:"MaxAgeSeconds"`
}

type xmlCORS struct {
	XMLName xml.Name   `xml:"CORSConfiguration"`
	Rules   []corsRule `xml:"CORSRule"`
}

func getCORS(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.CORS == nil {
		return nil, wire.FailAs(404, "NoSuchCORSConfiguration", "The CORS configuration does not exist")
	}
	return xmlCORS{Rules: b.CORS}, nil
}

// putCORS replaces all rules (S3 API reference: PutBucketCors).
func putCORS(x *core.Exchange) (any, error) {
	var in xmlCORS
	if xml.Unmarshal(x.Rest.Body, &in) != nil || len(in.Rules) == 0 || len(in.Rules) > 100 {
		return nil, malformed()
	}
	for _, r := range in.Rules {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	return changeBucket(x, func(b *bucket) error { b.CORS = in.Rules; return nil }, 200)
}

func (r corsRule) check() error {
	if len(r.Methods) == 0 || len(r.Origins) == 0 {
		return malformed()
	}
	if len(r.ID) > 255 {
		return wire.Failf("InvalidArgument", "ID length should not exceed allowed limit of 255")
	}
	for _, m := range r.Methods {
		if !slices.Contains([]string{"GET", "PUT", "HEAD", "POST", "DELETE"}, m) {
			return wire.Failf("InvalidRequest", "Found unsupported HTTP method in CORS config. Unsupported method is %s", m)
		}
	}
	for name, all := range map[string][]string{"AllowedOrigin": r.Origins, "AllowedHeader": r.Headers} {
		for _, s := range all {
			if strings.Count(s, "*") > 1 {
				return wire.Failf("InvalidRequest", "%s %q can not have more than one wildcard.", name, s)
			}
		}
	}
	for _, s := range r.Expose {
		if strings.Contains(s, "*") {
			return wire.Failf("InvalidRequest",
				"ExposeHeader %q contains wildcard. We currently do not support wildcard for ExposeHeader.", s)
		}
	}
	return nil
}

func deleteCORS(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.CORS = nil; return nil }, 204)
}
