package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Digest identifies the content of a configured resource: the same attributes, tags, blessing and state give the same
// digest. Its name does not count, so that a rename keeps the record of the configuration. Neither do its position, its
// dependencies and ignored paths.
func (d Desired) Digest() string {
	b := make([]byte, 0, 512)
	b = d.Attrs.AppendJSON(append(b, `{"attrs":`...))
	b = d.Tags.AppendJSON(append(b, `,"tags":`...))
	b = strconv.AppendBool(append(b, `,"blessed":`...), d.Blessed)
	b = appendField(b, "state", string(d.State))
	sum := sha256.Sum256(append(b, '}'))
	return hex.EncodeToString(sum[:])
}

// ShortDigest returns the part of a digest that screens show.
func ShortDigest(digest string) string { return digest[:min(len(digest), 6)] }

// AppendJSON appends the canonical JSON of the resource: the bytes that a store keeps and
// compares. Fields have a fixed order, zero ones are omitted. It allocates only to grow dst.
func (o *Observed) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"ref":"`...)
	dst = o.Ref.appendQuoted(dst)
	dst = append(dst, '"')
	dst = appendField(dst, "id", o.ID)
	dst = appendField(dst, "uid", o.UID)
	dst = appendField(dst, "natural", o.Natural)
	dst = o.Marks.appendJSON(dst)
	dst = appendFlag(dst, "attested", o.Attested)
	dst = appendField(dst, "ownership", string(o.Ownership))
	dst = appendField(dst, "role", string(o.Role))
	dst = appendField(dst, "owned_by", o.OwnedBy)
	dst = appendField(dst, "condition", string(o.Condition))
	dst = appendField(dst, "health", string(o.Health))
	dst = appendField(dst, "message", o.Message)
	dst = o.Last.appendJSON(dst)
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

func (m Marks) appendJSON(dst []byte) []byte {
	if m == (Marks{}) {
		return dst
	}
	dst = append(dst, `,"marks":{"ref":"`...)
	if !m.Ref.IsZero() {
		dst = m.Ref.appendQuoted(dst)
	}
	dst = append(dst, '"')
	dst = appendField(dst, "owner", m.Owner)
	dst = appendField(dst, "key", m.Key)
	dst = appendField(appendFlag(dst, "blessed", m.Blessed), "stack", m.Stack)
	return append(appendFlag(appendField(dst, "text", m.Text), "unmanaged", m.Unmanaged), '}')
}

func (m *Marks) set(attrs Attrs) (err error) {
	for _, a := range attrs {
		text, isText := a.Value.(String)
		flag, isFlag := a.Value.(Bool)
		switch {
		case a.Name == "ref" && isText:
			err = m.Ref.UnmarshalText([]byte(text))
		case a.Name == "owner" && isText:
			m.Owner = string(text)
		case a.Name == "key" && isText:
			m.Key = string(text)
		case a.Name == "stack" && isText:
			m.Stack = string(text)
		case a.Name == "text" && isText:
			m.Text = string(text)
		case a.Name == "blessed" && isFlag:
			m.Blessed = bool(flag)
		case a.Name == "unmanaged" && isFlag:
			m.Unmanaged = bool(flag)
		default:
			err = fmt.Errorf("unknown field marks.%s, or a value of the wrong type", a.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// ParseObserved reads what AppendJSON wrote. An unknown field is an error: it would be lost
// when the resource is written again.
func ParseObserved(b []byte) (Observed, error) {
	p := parser{b: b}
	var o Observed
	if p.next() != '{' {
		return Observed{}, fmt.Errorf("resource: a recorded resource is not an object: %.40q", b)
	}
	seen := 0
	err := p.members(func(name string) (err error) {
		if err := first(name, &seen); err != nil {
			return err
		}
		if name == "tags" && p.next() == '{' {
			o.Tags, err = p.tags()
			return err
		}
		v, err := p.value(1)
		if err != nil {
			return err
		}
		return o.set(Attr{name, v})
	})
	if p.space(); err == nil && p.i < len(b) {
		err = p.bad("the end of the object")
	}
	if err == nil && seen&1 == 0 {
		err = errors.New("the field \"ref\" is missing")
	}
	if err != nil {
		return Observed{}, fmt.Errorf("resource: recorded resource %s: %w", o.Ref, err)
	}
	return o, nil
}

// UnmarshalJSON reads what AppendJSON wrote.
func (o *Observed) UnmarshalJSON(b []byte) error {
	p, err := ParseObserved(b)
	*o = p
	return err
}

// fields are the fields of a recorded resource, ref first.
const fields = " ref id uid natural marks attested ownership role owned_by condition health message last since" +
	" attrs tags "

// first returns an error for an unknown or duplicate field, and marks the field as seen.
func first(name string, seen *int) error {
	at := strings.Index(fields, " "+name+" ")
	if at < 0 || strings.Contains(name, " ") || name == "" {
		return fmt.Errorf("unknown field %q", name)
	}
	bit := 1 << strings.Count(fields[:at], " ")
	if *seen&bit != 0 {
		return fmt.Errorf("duplicate field %q", name)
	}
	*seen |= bit
	return nil
}

func (o *Observed) set(a Attr) error {
	switch v := a.Value.(type) {
	case String:
		return o.setText(a.Name, string(v))
	case Bool:
		if a.Name == "attested" {
			o.Attested = bool(v)
			return nil
		}
	case Attrs:
		switch a.Name {
		case "attrs":
			o.Attrs = v
			return nil
		case "marks":
			return o.Marks.set(v)
		case "last":
			o.Last = &Request{}
			return o.Last.set(v)
		}
	}
	return fmt.Errorf("the value of field %q has the wrong type", a.Name)
}

func (o *Observed) setText(name, v string) (err error) {
	switch name {
	case "ref":
		err = o.Ref.UnmarshalText([]byte(v))
	case "id":
		o.ID = v
	case "uid":
		o.UID = v
	case "natural":
		o.Natural = v
	case "ownership":
		o.Ownership = Ownership(v)
	case "role":
		o.Role = Role(v)
	case "owned_by":
		o.OwnedBy = v
	case "condition":
		o.Condition = Condition(v)
	case "health":
		o.Health = Health(v)
	case "message":
		o.Message = v
	case "since":
		o.Since, err = time.Parse(time.RFC3339Nano, v)
	default:
		err = fmt.Errorf("the value of field %q has the wrong type", name)
	}
	return err
}

// tags reads an object of strings; unlike in attributes, no name is reserved.
func (p *parser) tags() (Tags, error) {
	out, sorted := Tags{}, true
	err := p.members(func(key string) error {
		if p.next() != '"' {
			return p.bad("a tag's value in quotes")
		}
		v, err := p.text()
		if n := len(out); n > 0 && out[n-1].Key >= key {
			sorted = false
		}
		out = append(out, Tag{key, v})
		return err
	})
	if !sorted {
		m := make(map[string]string, len(out))
		for _, t := range out {
			m[t.Key] = t.Value
		}
		out = TagsOf(m)
	}
	return out, err
}

func (r *Request) appendJSON(dst []byte) []byte {
	if r == nil {
		return dst
	}
	dst = appendString(append(dst, `,"last":{"key":`...), r.Key)
	dst = appendField(dst, "desired", r.Desired)
	dst = appendField(dst, "state", string(r.State))
	dst = appendField(dst, "cause", r.Cause)
	dst = appendField(dst, "text", r.Text)
	if !r.At.IsZero() {
		dst = appendField(dst, "at", r.At.UTC().Format(time.RFC3339Nano))
	}
	return append(dst, '}')
}

func (r *Request) set(attrs Attrs) (err error) {
	texts := map[string]*string{
		"key": &r.Key, "desired": &r.Desired, "state": (*string)(&r.State), "cause": &r.Cause, "text": &r.Text,
	}
	for _, a := range attrs {
		text, isText := a.Value.(String)
		switch v := string(text); {
		case !isText:
			err = fmt.Errorf("the value of field last.%s has the wrong type", a.Name)
		case texts[a.Name] != nil:
			*texts[a.Name] = v
		case a.Name == "at":
			r.At, err = time.Parse(time.RFC3339Nano, v)
		default:
			err = fmt.Errorf("unknown field last.%s", a.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
