// Package dns keeps hosted zones and their records. Route 53 is a global service, so each region of
// an account lists the same zones. A record has no tags: only the audit log proves who created it.
package dns
