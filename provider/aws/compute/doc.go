// Package compute keeps instances, their volumes and key pairs, launch templates and groups that scale.
package compute
