// Package portainertest is a fake of Portainer for tests: its answers and status codes are those of the API of
// server 2.23, as they were observed. No Edge agent connects to it.
package portainertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/portainer"
)

// Token is the one that it accepts.
const Token = "ptr_of-the-fake"

// Fake is a running fake.
type Fake struct {
	URL  string
	Stop func()

	mu        sync.Mutex
	last      int
	endpoints []portainer.Endpoint
	tags      []portainer.Tag
}

// Start starts one. It ends with the test.
func Start(t testing.TB) *Fake {
	t.Helper()
	f := &Fake{}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request){
		"GET /api/endpoints": f.list, "POST /api/endpoints": f.create, "GET /api/endpoints/{id}": f.read,
		"PUT /api/endpoints/{id}":    f.change,
		"DELETE /api/endpoints/{id}": f.remove, "GET /api/tags": f.listTags, "POST /api/tags": f.createTag,
		"DELETE /api/tags/{id}": f.removeTag,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-API-KEY") != Token {
				refuse(w, http.StatusUnauthorized, "A valid authorization token is missing")
				return
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			do(w, r)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	f.URL, f.Stop = s.URL, s.Close
	return f
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Message string `json:"message"`
	}{message})
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (f *Fake) list(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Total-Count", strconv.Itoa(len(f.endpoints)))
	answer(w, append([]portainer.Endpoint{}, f.endpoints...))
}

func (f *Fake) create(w http.ResponseWriter, r *http.Request) {
	name, server := r.FormValue("Name"), r.FormValue("URL")
	switch {
	case r.FormValue("EndpointCreationType") != "4" || name == "":
		refuse(w, http.StatusBadRequest, "Invalid request payload")
		return
	case server == "":
		refuse(w, http.StatusBadRequest, "URL cannot be empty")
		return
	case slices.ContainsFunc(f.endpoints, func(e portainer.Endpoint) bool { return e.Name == name }):
		refuse(w, http.StatusConflict, "Name is not unique")
		return
	}
	group, _ := strconv.Atoi(r.FormValue("GroupID"))
	answer(w, f.add(name, server, group, r.FormValue("TagIds")))
}

func (f *Fake) add(name, server string, group int, tags string) portainer.Endpoint {
	f.last++
	e := portainer.Endpoint{ID: f.last, Name: name, Type: 4, GroupID: max(group, 1)}
	_ = json.Unmarshal([]byte(tags), &e.TagIDs)
	e.EdgeKey = base64.RawStdEncoding.EncodeToString(fmt.Appendf(nil, "%s|tunnel:8000|fingerprint|%d", server, e.ID))
	f.endpoints = append(f.endpoints, e)
	return e
}

// Put makes an environment by hand, and returns its ID.
func (f *Fake) Put(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.add(name, "http://by-hand", 1, "").ID
}

// Drop removes an environment by hand.
func (f *Fake) Drop(id int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endpoints = slices.DeleteFunc(f.endpoints, func(e portainer.Endpoint) bool { return e.ID == id })
}

// Counts are how many environments and tags there are.
func (f *Fake) Counts() (endpoints, tags int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.endpoints), len(f.tags)
}

// at finds the environment of a request; if there is none, it answers so.
func (f *Fake) at(w http.ResponseWriter, r *http.Request) int {
	i := slices.IndexFunc(f.endpoints, func(e portainer.Endpoint) bool { return strconv.Itoa(e.ID) == r.PathValue("id") })
	if i < 0 {
		refuse(w, http.StatusNotFound, "Unable to find an environment with the specified identifier inside the database")
	}
	return i
}

func (f *Fake) read(w http.ResponseWriter, r *http.Request) {
	if i := f.at(w, r); i >= 0 {
		answer(w, f.endpoints[i])
	}
}

func (f *Fake) change(w http.ResponseWriter, r *http.Request) {
	var set struct{ GroupID int }
	i := f.at(w, r)
	if i < 0 {
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&set); err != nil {
		refuse(w, http.StatusBadRequest, "Invalid request payload")
		return
	}
	f.endpoints[i].GroupID = set.GroupID
	answer(w, f.endpoints[i])
}

func (f *Fake) remove(w http.ResponseWriter, r *http.Request) {
	if i := f.at(w, r); i >= 0 {
		f.endpoints = slices.Delete(f.endpoints, i, i+1)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (f *Fake) listTags(w http.ResponseWriter, _ *http.Request) {
	answer(w, append([]portainer.Tag{}, f.tags...))
}

func (f *Fake) createTag(w http.ResponseWriter, r *http.Request) {
	var t struct{ Name string }
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil || t.Name == "" {
		refuse(w, http.StatusBadRequest, "Invalid request payload")
		return
	}
	if slices.ContainsFunc(f.tags, func(x portainer.Tag) bool { return x.Name == t.Name }) {
		refuse(w, http.StatusConflict, "A tag with the same name already exists")
		return
	}
	f.last++
	f.tags = append(f.tags, portainer.Tag{ID: f.last, Name: t.Name})
	answer(w, f.tags[len(f.tags)-1])
}

func (f *Fake) removeTag(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	f.tags = slices.DeleteFunc(f.tags, func(t portainer.Tag) bool { return strconv.Itoa(t.ID) == id })
	w.WriteHeader(http.StatusNoContent)
}
