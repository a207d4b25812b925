// Package importer writes a configuration for resources that exist, so that they can be adopted and a plan is
// empty after that. It is pure: it neither reads live state nor changes anything.
package importer
