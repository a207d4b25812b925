// Package libpod is a thin client of Podman's REST API, version 4.0.0, which Podman 4 and 5
// answer alike. A Reader has no method that changes anything; a Client adds those that do. Both
// send their requests through an http.RoundTripper: the socket, TLS, ssh, or a recording.
//
// Only the fields that the provider uses are declared. Podman ignores unknown fields of a
// request, so what is sent is checked before, not here.
package libpod
