package awsfake

import (
	"maps"
	"reflect"
	"time"
)

// entity is one resource of the account. An entity is never changed once it was put
// into a table: handlers change a copy and put the copy, so that a refused
// request can be taken back by putting the old pointers back.
type entity interface{ meta() *base }

// base is what every resource has. Region is empty for global ones.
type base struct {
	ID     string            `json:"id"`
	Region string            `json:"region,omitempty"`
	Seq    int64             `json:"seq"`
	Made   time.Time         `json:"made"`
	Tags   map[string]string `json:"tags,omitempty"`
}

func (b *base) meta() *base { return b }

// mortal is an entity that time alone can end.
type mortal interface{ gone(now time.Time) bool }

// clone is a copy of an entity, with tags of its own.
func clone(e entity) entity {
	c := reflect.New(reflect.TypeOf(e).Elem())
	c.Elem().Set(reflect.ValueOf(e).Elem())
	out := c.Interface().(entity)
	out.meta().Tags = maps.Clone(e.meta().Tags)
	return out
}

func blank[T entity]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

const (
	markName  = "region"
	tokenName = "token"
)

// regionMark says that the default resources of a region were written once, so
// that a deleted default VPC does not come back.
type regionMark struct{ base }

// clientToken remembers what was asked under an idempotency token.
type clientToken struct {
	base
	Digest string    `json:"digest"`
	IDs    []string  `json:"ids"`
	Until  time.Time `json:"until"`
}

func (t *clientToken) gone(now time.Time) bool { return !t.Until.IsZero() && now.After(t.Until) }
