// Package expansion shows the blocks of a configuration without expressions, as YAML that can be read again. It
// shows no secret, and no text that may be one: both are written by their origin.
package expansion
