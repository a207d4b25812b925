// Package dns keeps hosted zones and their records.
package dns
