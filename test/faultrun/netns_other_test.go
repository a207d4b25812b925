//go:build !linux

package faultrun

import (
	"errors"
	"testing"
)

func newNamespaces() (*proxies, error) { return nil, namespacesWork() }
func (*proxies) close()                {}
func namespacesWork() error            { return errors.New("there are network namespaces on Linux only") }
func inside(*testing.T)                {}
