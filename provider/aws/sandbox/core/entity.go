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

func Blank[T Entity]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

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
