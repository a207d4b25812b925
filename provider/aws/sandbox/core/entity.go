// Package core keeps the entities of a sandbox account, and offers what every handler needs: transactions, kinds,
// pages, filters, tags, idempotency tokens, states that pass with time, and changes that people make by hand.
//
// It promises that a handler that returns an error has changed nothing, that an acknowledged change is in the file, and
// that processes with the same file see each other's changes. An area describes each of its kinds with a Kind, and
// answers each call with a Handler; core knows no area.
package core

import (
	"maps"
	"reflect"
	"time"
)

// Entity is one resource of the account. An entity is never changed once it was put
// into a table: handlers change a copy and put the copy, so that a refused
// request can be taken back by putting the old pointers back.
type Entity interface{ Meta() *Base }

// Base is what every resource has. Region is empty for global ones.
type Base struct {
	ID     string            `json:"id"`
	Region string            `json:"region,omitempty"`
	Seq    int64             `json:"seq"`
	Made   time.Time         `json:"made"`
	Tags   map[string]string `json:"tags,omitempty"`
}

// Meta returns what every entity has.
func (b *Base) Meta() *Base { return b }

// mortal is an entity that time alone can end.
type mortal interface{ Gone(now time.Time) bool }

// Clone is a copy of an entity, with tags of its own.
func Clone(e Entity) Entity {
	c := reflect.New(reflect.TypeOf(e).Elem())
	c.Elem().Set(reflect.ValueOf(e).Elem())
	out := c.Interface().(Entity)
	out.Meta().Tags = maps.Clone(e.Meta().Tags)
	return out
}

// Blank returns an empty entity of a type.
func Blank[T Entity]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

// Names that areas share.
const (
	MarkName  = "region"
	TokenName = "token"
)

// RegionMark says that the default resources of a region were written once, so
// that a deleted default VPC does not come back.
type RegionMark struct{ Base }

// clientToken remembers what was asked under an idempotency token.
type clientToken struct {
	Base
	Digest string    `json:"digest"`
	IDs    []string  `json:"ids"`
	Until  time.Time `json:"until"`
}

func (t *clientToken) Gone(now time.Time) bool { return !t.Until.IsZero() && now.After(t.Until) }
