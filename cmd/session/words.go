package session

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
)

// Shortened are the shortest names that tell some refs apart.
func Shortened(refs []resource.Ref) []string {
	short, out := resource.Shorten(refs, nil), make([]string, len(refs))
	for i, r := range refs {
		out[i] = short(r)
	}
	return out
}

// AgeOf reads a duration that may be in days.
func AgeOf(text string) (time.Duration, error) {
	var days int
	if n, err := fmt.Sscanf(text+" ", "%dd ", &days); err == nil && n == 1 && fmt.Sprintf("%dd", days) == text {
		return time.Duration(days) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err == nil && age < 0 {
		err = errors.New("it is negative")
	}
	return age, err
}

// ClusterRef names the cluster of a row as a report knows it.
func ClusterRef(name string) resource.Ref {
	return resource.Ref{Provider: command.ClusterProvider, Kind: sqlite.Kind, Name: name}
}

// Bare is a ref without its stack and location.
func Bare(r resource.Ref) resource.Ref {
	r.Stack, r.Location = "", ""
	return r
}

// MinuteOf is a time in a head line.
func MinuteOf(t time.Time) string {
	if t.IsZero() {
		return "unknown time"
	}
	return phrase.Minute(t)
}

// StampOf returns a time to the second, in UTC.
func StampOf(t time.Time) string {
	if t.IsZero() {
		return "unknown time"
	}
	return phrase.Second(t)
}

// IsFile reports whether a path is a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// ReadSource reads a whole file.
func ReadSource(name string) (string, error) {
	b, err := source.ReadFile(nil, name, source.MaxFile)
	if err != nil {
		return "", &cli.Problem{
			Summary: "cannot read the file", File: name, Err: err,
			Suggestion: source.FileAdvice(err, "check its path and permissions"),
		}
	}
	return string(b), nil
}

// NamesOf knows every scope of a plan.
func NamesOf(p *engine.Planned) render.Names {
	var scopes []resource.Scope
	for _, obs := range p.Observations {
		scopes = append(scopes, obs.Scope)
	}
	for scope := range p.Plan.Unreachable {
		scopes = append(scopes, scope)
	}
	for _, d := range p.Plan.Decisions {
		scopes = append(scopes, d.Ref.Scope())
	}
	return render.NewNames(scopes...)
}
