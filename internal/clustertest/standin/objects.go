package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// kept is where the objects of the fake API server are while the node is stopped.
const kept = "/var/lib/objects.json"

// objects are those that were put into the fake API server, by path. It merges what it is sent: it knows no
// schema, no conflict and no field manager.
type objects struct {
	mu  sync.Mutex
	all map[string]json.RawMessage
}

func newObjects() (*objects, error) {
	o := &objects{all: map[string]json.RawMessage{
		"/api/v1/namespaces/default":     json.RawMessage(`{"metadata":{"name":"default"}}`),
		"/api/v1/namespaces/kube-system": json.RawMessage(`{"metadata":{"name":"kube-system"}}`),
	}}
	b, err := os.ReadFile(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &o.all)
	}
	return o, err
}

// ServeHTTP implements http.Handler.
func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	status, body := o.answer(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (o *objects) answer(r *http.Request) (status int, body []byte) {
	at := r.URL.Path
	have, exists := o.all[at]
	switch {
	case r.Method == http.MethodGet && !exists && isList(at):
		return http.StatusOK, o.list(at)
	case r.Method == http.MethodPatch:
		return o.patch(at, have, r.Body)
	case !exists:
		return http.StatusNotFound, []byte(`{"reason":"NotFound","message":"` + path.Base(at) + ` not found"}`)
	case r.Method == http.MethodDelete:
		delete(o.all, at)
		return o.saved([]byte(`{}`))
	}
	return http.StatusOK, have
}

// isList reports whether a path ends with a plural, as the paths of lists do.
func isList(at string) bool {
	plurals := []string{"namespaces", "secrets", "serviceaccounts", "services", "deployments", "clusterrolebindings"}
	for _, p := range plurals {
		if path.Base(at) == p {
			return true
		}
	}
	return false
}

func (o *objects) list(at string) []byte {
	items := [][]byte{}
	for name, object := range o.all {
		if path.Dir(name) == at {
			items = append(items, object)
		}
	}
	return []byte(`{"items":[` + string(bytes.Join(items, []byte(","))) + `]}`)
}

func (o *objects) patch(at string, have json.RawMessage, body io.Reader) (int, []byte) {
	b, err := io.ReadAll(body)
	if err != nil {
		return http.StatusBadRequest, nil
	}
	if have == nil {
		have = json.RawMessage(`{"metadata":{"uid":"` + rand.Text() + `","creationTimestamp":"` +
			time.Now().UTC().Format(time.RFC3339) + `"}}`)
	}
	b = bytes.Replace(b, []byte(`"uid":"",`), nil, 1) // an empty UID means any
	if o.all[at], err = merged(have, b); err != nil {
		return http.StatusBadRequest, nil
	}
	return o.saved(o.all[at])
}

func (o *objects) saved(body []byte) (int, []byte) {
	b, err := json.Marshal(o.all)
	if err == nil {
		err = os.MkdirAll(path.Dir(kept), 0o755)
	}
	if err == nil {
		err = os.WriteFile(kept, b, 0o600)
	}
	if err != nil {
		said, _ := json.Marshal(err.Error()) // a string
		return http.StatusInternalServerError, []byte(`{"message":` + strings.TrimSpace(string(said)) + `}`)
	}
	return http.StatusOK, body
}

// merged is an object after a merge patch (RFC 7386).
func merged(have, patch json.RawMessage) (json.RawMessage, error) {
	var to, from map[string]json.RawMessage
	if json.Unmarshal(patch, &from) != nil || from == nil {
		return patch, nil
	}
	if json.Unmarshal(have, &to) != nil || to == nil {
		to = map[string]json.RawMessage{}
	}
	for k, v := range from {
		if string(v) == "null" {
			delete(to, k)
			continue
		}
		next, err := merged(to[k], v)
		if err != nil {
			return nil, err
		}
		to[k] = next
	}
	return json.Marshal(to)
}
