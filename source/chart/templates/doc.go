// Package templates renders the templates of a chart. Equal templates and values give equal texts: no
// function reads the clock, the environment or the network. Each text knows where its pieces come
// from, and an error says what to do.
package templates
