// Package command is one command being run: its options, its screen, its secrets, and the providers and the store that
// it uses. It knows no source and no engine; package session opens these.
package command
