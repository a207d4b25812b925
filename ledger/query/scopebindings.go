package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// scopeBindings are the bindings of a scope at a revision of the store.
type scopeBindings struct {
	at  storage.Revision
	all []resource.Binding
}

// readCache keeps the bindings of scopes from the last read, because a plan reads the bindings of all its
// resources more than once, mostly at one revision; and when each resource was acted on.
type readCache struct {
	mu     sync.Mutex
	scopes map[resource.Scope]scopeBindings
	many   bindingsOf
	acts   map[string]lastAct
}

// Bindings are all bindings of a scope, ended and former ones too, sorted by ref and id. The caller
// must not change them. The result of the last read is returned again as long as the store is at
// the same revision.
func (r *Reader) Bindings(ctx context.Context, s resource.Scope) ([]resource.Binding, error) {
	found, at, err := storage.Scan(ctx, r.store, rows.BindingPrefix(s), storage.Now)
	if err != nil {
		return nil, fmt.Errorf("ledger: bindings in %s: %w", s, err)
	}
	r.cache.mu.Lock()
	known, ok := r.cache.scopes[s]
	r.cache.mu.Unlock()
	if ok && known.at == at {
		return known.all, nil
	}
	// A slice that grows copies a large table five times: it gets room for as many bindings as resources were observed
	// last.
	var last rows.Scan
	if _, err := r.Load(ctx, rows.KeyScan+s.String(), storage.Now, &last); err != nil {
		return nil, err
	}
	all := make([]resource.Binding, 0, min(max(last.Count(), 0), maxRoom)+64)
	var d bindingDecoder
	for e, err := range found {
		if err == nil {
			var b resource.Binding
			if b, err = d.decode(e.Key, e.Value); err == nil && b.Ref.Scope() == s {
				all = append(all, b)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("ledger: bindings in %s: %s: %w", s, e.Key, err)
		}
	}
	if len(all) < cap(all)/2 {
		all = slices.Clone(all)
	}
	all = slices.Clip(all)
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	if r.cache.scopes == nil {
		r.cache.scopes = map[resource.Scope]scopeBindings{}
	}
	r.cache.scopes[s] = scopeBindings{at, all}
	return all, nil
}

// maxRoom bounds what a damaged row of the store can reserve.
const maxRoom = 1 << 20

// bindingDecoder decodes the rows of a scope, of which a plan reads one for each resource. It
// reads what package json writes of a binding, in a fifth of the time, and leaves to that
// package every row with something else in it. Strings that repeat are shared.
type bindingDecoder struct{ stack, provider, location, kind, instance string }

func (d *bindingDecoder) decode(key string, v []byte) (resource.Binding, error) {
	b, ok := d.plain(v)
	if !ok {
		var row rows.Binding
		if err := json.Unmarshal(v, &row); err != nil {
			return b, err
		}
		b = row.Binding
	}
	var err error
	if b.Ref, b.ID, err = rows.ParseBinding(key); err != nil {
		return b, err
	}
	r := &b.Ref
	r.Stack, r.Provider, r.Location, r.Kind = again(&d.stack, r.Stack), again(&d.provider, r.Provider),
		again(&d.location, r.Location), again(&d.kind, r.Kind)
	return b, nil
}

// plain decodes an object of strings without escapes, whole numbers, true, and as its last field a
// signature, which is checked and dropped. Whatever it does not know makes it refuse the row, so
// that a field which is added later cannot get lost here: package json reads the row then.
func (d *bindingDecoder) plain(v []byte) (b resource.Binding, ok bool) {
	rest, ok := object(v, func(name, value []byte, isText bool) bool {
		if isText {
			return d.text(&b, name, value)
		}
		return other(&b, name, value)
	})
	return b, ok && len(rest) == 0
}

// object reads the fields of a JSON object and returns what follows it.
func object(v []byte, field func(name, value []byte, isText bool) bool) (rest []byte, ok bool) {
	if len(v) == 0 || v[0] != '{' {
		return v, false
	}
	for v = v[1:]; ; v = v[1:] {
		name, rest, ok := quoted(v)
		if !ok || len(rest) < 2 || rest[0] != ':' {
			return v, false
		}
		value, rest, isText := quoted(rest[1:])
		switch {
		case isText:
		case rest[0] == '{':
			inner, ok := object(rest, signatureField)
			if !ok {
				return v, false
			}
			value, rest = rest[:len(rest)-len(inner)], inner
		default:
			end := 0
			for end < len(rest) && rest[end] != ',' && rest[end] != '}' {
				end++
			}
			value, rest = rest[:end], rest[end:]
		}
		if v = rest; !field(name, value, isText) || len(v) == 0 {
			return v, false
		}
		if v[0] == '}' {
			return v[1:], true
		}
		if v[0] != ',' {
			return v, false
		}
	}
}

// signatureField accepts the fields of a signature. Its value is dropped: package trust, which verifies
// signatures, decodes whole rows.
func signatureField(name, value []byte, isText bool) bool {
	if string(name) == "generation" {
		_, ok := whole(value)
		return ok && !isText
	}
	return isText && (string(name) == "key" || string(name) == "sum")
}

// whole reads a number as JSON writes it. Leading zeros are refused, as package json refuses them.
func whole(v []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(v), 10, 64)
	return n, err == nil && (v[0] != '0' || len(v) == 1)
}

// quoted reads a string without escapes.
func quoted(v []byte) (text, rest []byte, ok bool) {
	if len(v) == 0 || v[0] != '"' {
		return nil, v, false
	}
	for i, c := range v[1:] {
		switch {
		case c == '"':
			return v[1 : i+1], v[i+2:], true
		case c == '\\' || c < 0x20 || c >= 0x80:
			return nil, v, false
		}
	}
	return nil, v, false
}

// shared returns the string that was used last, if it is the same.
func shared(last *string, text []byte) string {
	if *last != string(text) {
		*last = string(text)
	}
	return *last
}

// again does so for a string that is part of a longer one. The copy lets the longer string, which
// is a key of the store, be freed.
func again(last *string, text string) string {
	if *last != text {
		*last = strings.Clone(text)
	}
	return *last
}

// text sets a field whose value is a string. It returns false for a name that it does not know, so that
// the whole row is decoded by package json.
func (d *bindingDecoder) text(b *resource.Binding, name, text []byte) bool {
	switch string(name) {
	case "uid":
		b.UID = string(text)
	case "key":
		b.Key = string(text)
	case "role":
		b.Role = resource.Role(text)
	case "instance":
		b.Instance = shared(&d.instance, text)
	case "at":
		return b.At.UnmarshalText(text) == nil
	case "origin_log":
		b.OriginLog = shared(&d.instance, text)
	case "since":
		return b.Since.UnmarshalText(text) == nil
	default:
		return false
	}
	return true
}

// other does so for numbers and booleans. A boolean is recorded only if it is true, so that any other
// value makes it return false.
func other(b *resource.Binding, name, value []byte) (ok bool) {
	is := string(value) == "true"
	switch string(name) {
	case "generation":
		b.Generation, ok = whole(value)
		return ok
	case "seq":
		b.Seq, ok = whole(value)
		return ok
	case "origin":
		b.Origin, ok = whole(value)
		return ok
	case "signature":
		return len(value) > 0 && value[0] == '{'
	case "former":
		b.Former = is
	case "ended":
		b.Ended = is
	case "dismissed":
		b.Dismissed = is
	case "adopted":
		b.Adopted = is
	default:
		return false
	}
	return is
}
