package session

import (
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// OpenApart opens the data directory, and providers for stacks that are planned one by one, such as several
// environments: each stack acts with its own credentials.
func OpenApart(c *command.Call, dir string, paths []string, intents []resource.Intent) (*Session, error) {
	return openLiveState(c, dir, paths, intents, true)
}

// EngineOf returns the engine that acts with the credentials of a stack; nil if the session has one engine for all.
func (l *Session) EngineOf(stack string) *engine.Engine { return l.engines[stack] }
