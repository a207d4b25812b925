package aws_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider/aws"
)

// hook stands between a provider and its cloud, as a proxy does: it may answer a call itself, pass it
// on, or change what comes back. The zero hook passes everything on.
type hook struct {
	cloud http.RoundTripper
	mu    sync.Mutex
	on    func(h *hook, action string, r *http.Request) (*http.Response, error) // under the lock
}

// RoundTrip gives a call with its action ("" for S3) to the function of the hook.
func (h *hook) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.on == nil {
		return h.cloud.RoundTrip(r)
	}
	action := ""
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if form, err := url.ParseQuery(string(body)); err == nil {
			action = form.Get("Action")
		}
	}
	return h.on(h, action, r)
}

// hooked gives a provider whose calls pass a function.
func (w *liveState) hooked(on func(h *hook, action string, r *http.Request) (*http.Response, error)) {
	w.p = aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: &hook{cloud: w.cloud, on: on}}, Delays: patience, Attempts: 4})
}

// copyOf reads an answer, so that it can be given again.
func copyOf(t *testing.T, r *http.Response) func() *http.Response {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return func() *http.Response {
		again := *r
		again.Body = io.NopCloser(bytes.NewReader(body))
		return &again
	}
}

// formOf reads the parameters of a call and leaves them for whoever is next.
func formOf(t *testing.T, r *http.Request) url.Values {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, err := url.ParseQuery(string(body))
	if err != nil {
		t.Error(err)
	}
	return form
}
