// Package engineapi sends requests to the API of a container engine, over a socket or TCP, and tells apart what
// a failure means: the engine was not reached, it refused, or it is unknown what it did. It knows no call of any
// API.
package engineapi
