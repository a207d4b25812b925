package awsfake

import (
	"cmp"
	"encoding/json"
	"time"
)

// speaksJSON are the services whose protocol is JSON 1.1.
func speaksJSON(service string) bool {
	switch service {
	case "ssm", "logs", "kms", "secretsmanager", "acm":
		return true
	}
	return false
}

func (x *exchange) body(into any) error {
	if err := json.Unmarshal(x.json, into); err != nil {
		return failf("SerializationException", "The request is not JSON: %v", err)
	}
	return nil
}

// seconds is a moment in JSON 1.1.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

type jsonTag struct{ Key, Value string }

func jsonTags(tags map[string]string) []jsonTag {
	out := make([]jsonTag, 0, len(tags))
	for _, t := range tagSet(tags) {
		out = append(out, jsonTag(t))
	}
	return out
}

func plainTags(tags []jsonTag) map[string]string {
	out := map[string]string{}
	for _, t := range tags {
		out[t.Key] = t.Value
	}
	return out
}

// jsonPage cuts a page of a list.
func jsonPage[T entity](all []T, token string, size, most int, refused error) ([]T, *string, error) {
	if size <= 0 || size > most {
		size = most
	}
	rows, next, ok := cut(all, token, size)
	switch {
	case !ok:
		return nil, nil, refused
	case next == "":
		return rows, nil, nil
	}
	return rows, &next, nil
}

// jsonToken is the token of the page that a call asks for.
func jsonToken(body []byte) string {
	var in struct{ NextToken, Marker string }
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	return cmp.Or(in.NextToken, in.Marker)
}
