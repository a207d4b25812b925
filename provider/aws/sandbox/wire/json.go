package wire

import (
	"cmp"
	"encoding/json"
	"time"
)

// SpeaksJSON are the services whose protocol is JSON 1.1.
func SpeaksJSON(service string) bool {
	switch service {
	case "ssm", "logs", "kms", "secretsmanager", "acm":
		return true
	}
	return false
}

// Seconds is a moment in JSON 1.1.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// jsonToken is the token of the page that a call asks for.
func jsonToken(body []byte) string {
	var in struct{ NextToken, Marker string }
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	return cmp.Or(in.NextToken, in.Marker)
}
