// Package cli is the command-line kit of ovi: it reads arguments, writes help, shell completion and
// output, asks for a yes, and turns errors into exit codes. It knows commands only as values; what
// they do, and which providers, stores and sources exist, is in cmd/ovi.
package cli
