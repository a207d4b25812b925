// Package link is what the orchestrator of a site and its nodes send each other: messages, and one
// bidirectional stream of gRPC that each node opens. Frames are JSON. The package acts on nothing.
package link
