package config

import "github.com/ovi-project/ovi/resource"

// digestBy returns a function that makes the keyed digest of a secret which belongs to no resource.
func digestBy(d resource.Digester) func(secret string) string {
	return func(secret string) string {
		if d == nil {
			return ""
		}
		return string(d.Digest(resource.Ref{}, "", secret))
	}
}
