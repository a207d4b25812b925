// Package identity keeps roles with their policies and instance profiles.
package identity
