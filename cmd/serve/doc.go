// Package serve is what a running loop shows to other programs: a listener for metrics, health and
// wake-ups, and alerts, which are reported once each, on standard output and to a webhook. What is
// not loopback needs TLS and a token. It starts no cycle by itself and changes no resource.
package serve
