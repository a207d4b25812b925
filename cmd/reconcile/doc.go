// Package reconcile has the commands that compare configuration with live state and act: plan, validate, apply,
// destroy,
// drift and run.
package reconcile
