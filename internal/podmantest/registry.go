package podmantest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// registry is as much of an OCI registry as push and pull need, in memory.
type registry struct {
	mu        sync.Mutex
	blobs     map[string][]byte
	manifests map[string]manifest // by NAME/TAG and NAME/DIGEST
	uploads   map[string][]byte
}

type manifest struct {
	kind string
	body []byte
}

func serveRegistry(t testing.TB) string {
	r := &registry{blobs: map[string][]byte{}, manifests: map[string]manifest{}, uploads: map[string][]byte{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func digest(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }

// ServeHTTP answers the paths /v2/, /v2/NAME/blobs/… and /v2/NAME/manifests/….
func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := strings.TrimPrefix(q.URL.Path, "/v2/")
	if name, rest, ok := strings.Cut(p, "/blobs/uploads/"); ok {
		r.upload(w, q, name, rest)
		return
	}
	if _, id, ok := strings.Cut(p, "/blobs/"); ok {
		b, found := r.blobs[id]
		answer(w, q, manifest{"application/octet-stream", b}, found, "BLOB_UNKNOWN", "blob unknown to registry")
		return
	}
	if name, tag, ok := strings.Cut(p, "/manifests/"); ok {
		r.manifest(w, q, name, tag)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (r *registry) upload(w http.ResponseWriter, q *http.Request, name, id string) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if q.Method == http.MethodPost {
		id = fmt.Sprint(len(r.uploads) + 1)
	}
	r.uploads[id] = append(r.uploads[id], body...)
	if want := q.URL.Query().Get("digest"); want != "" {
		r.blobs[want] = r.uploads[id]
		w.Header().Set("Location", "/v2/"+name+"/blobs/"+want)
		w.WriteHeader(http.StatusCreated)
		return
	}
	w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/"+id)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, len(r.uploads[id])-1)))
	w.WriteHeader(http.StatusAccepted)
}

func (r *registry) manifest(w http.ResponseWriter, q *http.Request, name, tag string) {
	if q.Method == http.MethodPut {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m := manifest{q.Header.Get("Content-Type"), body}
		r.manifests[name+"/"+tag], r.manifests[name+"/"+digest(body)] = m, m
		w.Header().Set("Docker-Content-Digest", digest(body))
		w.WriteHeader(http.StatusCreated)
		return
	}
	m, found := r.manifests[name+"/"+tag]
	code, text := "MANIFEST_UNKNOWN", "manifest unknown"
	if !found && !r.knows(name) {
		code, text = "NAME_UNKNOWN", "repository name not known to registry"
	}
	answer(w, q, m, found, code, text)
}

func (r *registry) knows(name string) bool {
	for k := range r.manifests {
		if strings.HasPrefix(k, name+"/") {
			return true
		}
	}
	return false
}

func answer(w http.ResponseWriter, q *http.Request, m manifest, found bool, code, text string) {
	if !found {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, text)
		return
	}
	w.Header().Set("Content-Type", m.kind)
	w.Header().Set("Docker-Content-Digest", digest(m.body))
	w.Header().Set("Content-Length", itoa(len(m.body)))
	if q.Method == http.MethodGet {
		_, _ = w.Write(m.body)
	}
}
