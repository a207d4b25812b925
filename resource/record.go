package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// Digest names the content of a wish: the same ref, attributes, tags and blessing give the
// same digest. Where it stands in its source, what it needs and what it ignores do not count.
func (d Desired) Digest() string {
	b := make([]byte, 0, 512)
	b = appendString(append(b, `{"ref":`...), d.Ref.String())
	b = d.Attrs.AppendJSON(append(b, `,"attrs":`...))
	b = d.Tags.AppendJSON(append(b, `,"tags":`...))
	b = strconv.AppendBool(append(b, `,"blessed":`...), d.Blessed)
	sum := sha256.Sum256(append(b, '}'))
	return hex.EncodeToString(sum[:])
}

// AppendJSON appends the canonical JSON of the thing: the bytes a store keeps and compares.
// Fields stand in a fixed order, zero ones are left out. It allocates only to grow dst.
func (o *Observed) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"ref":"`...)
	dst = o.Ref.appendQuoted(dst)
	dst = append(dst, '"')
	dst = appendField(dst, "id", o.ID)
	dst = appendFlag(dst, "managed", o.Managed)
	dst = appendField(dst, "stack", o.Stack)
	dst = appendField(dst, "owner", o.Owner)
	dst = appendFlag(dst, "blessed", o.Blessed)
	dst = appendField(dst, "key", o.Key)
	dst = appendField(dst, "health", string(o.Health))
	dst = appendField(dst, "detail", o.Detail)
	if !o.Since.IsZero() {
		dst = append(dst, `,"since":"`...)
		dst = append(o.Since.UTC().AppendFormat(dst, time.RFC3339Nano), '"')
	}
	if len(o.Attrs) > 0 {
		dst = o.Attrs.AppendJSON(append(dst, `,"attrs":`...))
	}
	if len(o.Tags) > 0 {
		dst = o.Tags.AppendJSON(append(dst, `,"tags":`...))
	}
	return append(dst, '}')
}

// MarshalJSON writes the canonical form.
func (o Observed) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil), nil }

func appendField(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return appendString(dst, v)
}

func appendFlag(dst []byte, name string, v bool) []byte {
	if !v {
		return dst
	}
	return append(append(append(dst, `,"`...), name...), `":true`...)
}

// ParseObserved reads what AppendJSON wrote. A field it does not know is an error: it would
// be lost when the thing is written again.
func ParseObserved(b []byte) (Observed, error) {
	v, err := ParseJSON(b)
	if err != nil {
		return Observed{}, err
	}
	attrs, ok := v.(Attrs)
	if !ok {
		return Observed{}, fmt.Errorf("resource: a thing is no object: %.40q", b)
	}
	var o Observed
	for _, a := range attrs {
		if err := o.set(a); err != nil {
			return Observed{}, fmt.Errorf("resource: thing %s: %w", o.Ref, err)
		}
	}
	return o, nil
}

// UnmarshalJSON reads what AppendJSON wrote.
func (o *Observed) UnmarshalJSON(b []byte) error {
	p, err := ParseObserved(b)
	*o = p
	return err
}

func (o *Observed) set(a Attr) error {
	switch v := a.Value.(type) {
	case String:
		return o.setText(a.Name, string(v))
	case Bool:
		switch a.Name {
		case "managed":
			o.Managed = bool(v)
			return nil
		case "blessed":
			o.Blessed = bool(v)
			return nil
		}
	case Attrs:
		switch a.Name {
		case "attrs":
			o.Attrs = v
			return nil
		case "tags":
			return o.setTags(v)
		}
	}
	return fmt.Errorf("field %q is not one that can stand here", a.Name)
}

func (o *Observed) setText(name, v string) (err error) {
	switch name {
	case "ref":
		return o.Ref.UnmarshalText([]byte(v))
	case "id":
		o.ID = v
	case "stack":
		o.Stack = v
	case "owner":
		o.Owner = v
	case "key":
		o.Key = v
	case "health":
		o.Health = Health(v)
	case "detail":
		o.Detail = v
	case "since":
		o.Since, err = time.Parse(time.RFC3339Nano, v)
	default:
		return fmt.Errorf("field %q is not one that can stand here", name)
	}
	return err
}

func (o *Observed) setTags(in Attrs) error {
	o.Tags = make(Tags, len(in))
	for i, a := range in {
		v, ok := a.Value.(String)
		if !ok {
			return fmt.Errorf("tag %q is no string", a.Name)
		}
		o.Tags[i] = Tag{a.Name, string(v)}
	}
	return nil
}
