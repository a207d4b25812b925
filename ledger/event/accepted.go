package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/resource/secrets"
)

// SourceAccepted records the configuration of a source, or of a part of it, so that the engine can use it while the
// source cannot be read. It is recorded if the content differs from the record, and holds the difference.
type SourceAccepted struct {
	Stack string `json:"stack"`
	// Part is a file or a row. An event without a part has the settings that all parts share.
	Part    string `json:"part,omitempty"`
	Version string `json:"version,omitempty"`
	// Digest covers all content of the part, except its name and positions. An event without a digest says that the
	// source no longer has the part.
	Digest   string             `json:"digest,omitempty"`
	More     bool               `json:"more,omitempty"`
	Settings *AcceptedSettings  `json:"settings,omitempty"`
	Changed  []AcceptedResource `json:"changed,omitempty"` // new or different, sorted by ref
	Gone     []resource.Ref     `json:"gone,omitempty"`
}

// AcceptedSettings are the settings of a source that apply to its whole stack.
type AcceptedSettings struct {
	Source   string           `json:"source,omitempty"`
	From     string           `json:"from,omitempty"` // identifies the source, even while it cannot be read
	ByFolder bool             `json:"by_folder,omitempty"`
	Release  string           `json:"release,omitempty"`
	Rules    rules.Rules      `json:"rules"`
	Options  resource.Options `json:"options"`
	Scopes   []resource.Scope `json:"scopes,omitempty"`
	Moved    []resource.Move  `json:"moved,omitempty"`
	Removed  []resource.Move  `json:"removed,omitempty"`
	// Given are the values that the command line set.
	Given []cmdline.Value `json:"given,omitempty"`
}

// Unread records a part of a source that could not be read when a plan was made. Without a part it is the whole.
type Unread struct {
	Stack string    `json:"stack"`
	Part  string    `json:"part,omitempty"`
	Why   string    `json:"why"`
	Read  time.Time `json:"read,omitzero"` // when it was read last
	// Never: it was never accepted. Unknown: it may also configure any name of the stack.
	Never   bool `json:"never,omitempty"`
	Unknown bool `json:"unknown,omitempty"`
	// Any: it was accepted earlier, and not all names in it can be read now.
	Any bool `json:"any,omitempty"`
	// Refs are the resources of other parts that depend on it, sorted.
	Refs []resource.Ref `json:"refs,omitempty"`
}

// AcceptedResource is the recorded form of the whole configuration of one resource, with secrets as digests.
type AcceptedResource struct {
	Ref       resource.Ref      `json:"ref"`
	Part      string            `json:"part,omitempty"`
	Attrs     resource.Attrs    `json:"attrs,omitempty"`
	Tags      resource.Tags     `json:"tags,omitempty"`
	DependsOn []resource.Ref    `json:"depends_on,omitempty"`
	Blessed   bool              `json:"blessed,omitempty"`
	State     resource.State    `json:"state,omitempty"`
	Ignore    []string          `json:"ignore,omitempty"`
	Replace   resource.Strategy `json:"replace,omitempty"`
	Owner     string            `json:"owner,omitempty"`
	Set       *resource.Set     `json:"set,omitempty"`
	Defaulted []string          `json:"defaulted,omitempty"`
	// Secrets are the sources of the secrets in Attrs, in their order: "env:NAME". A secret that is written in the
	// configuration has an empty source, so the resource cannot be created from the record.
	Secrets []string          `json:"secrets,omitempty"`
	At      position.Position `json:"at,omitzero"`
	Lookup  *resource.Lookup  `json:"lookup,omitempty"`
	Was     resource.Ref      `json:"was,omitzero"`
}

// AcceptedOf returns the recorded form of a configuration.
func AcceptedOf(d *resource.Desired) AcceptedResource {
	return AcceptedResource{
		Ref: d.Ref, Part: d.Part, Attrs: d.Attrs, Tags: d.Tags, DependsOn: d.DependsOn, Blessed: d.Blessed,
		State: d.State, Ignore: d.Ignore, Replace: d.Replace, Owner: d.Owner, Set: d.Set, Defaulted: d.Defaulted,
		Secrets: secrets.Sources(d.Attrs), At: d.At, Lookup: d.Lookup, Was: d.Was,
	}
}

// Desired is the inverse of AcceptedOf. Its secrets are digests.
func (a *AcceptedResource) Desired() resource.Desired {
	return resource.Desired{
		Ref: a.Ref, Part: a.Part, Attrs: a.Attrs, Tags: a.Tags, DependsOn: a.DependsOn, Blessed: a.Blessed,
		State: a.State, Ignore: a.Ignore, Replace: a.Replace, Owner: a.Owner, Set: a.Set, Defaulted: a.Defaulted, At: a.At,
		Lookup: a.Lookup, Was: a.Was,
	}
}

// AppendContent appends what identifies the content of a configured resource: all of it, except its part and position.
// The same content always gives the same bytes.
func (a *AcceptedResource) AppendContent(b []byte) []byte {
	b = append(b, a.Ref.String()...)
	b = a.Attrs.AppendJSON(append(b, 0))
	b = a.Tags.AppendJSON(append(b, 0))
	for _, r := range a.DependsOn {
		b = append(append(b, r.String()...), 1)
	}
	b = strconv.AppendBool(append(b, 0), a.Blessed)
	for _, s := range [...]string{string(a.State), string(a.Replace), a.Owner} {
		b = append(append(b, 0), s...)
	}
	for _, list := range [...][]string{a.Ignore, a.Defaulted, a.Secrets} {
		b = append(b, 0)
		for _, s := range list {
			b = append(append(b, s...), 1)
		}
	}
	if a.Set != nil {
		b = append(append(b, 0), a.Set.Name...)
		b = append(append(b, 0), a.Set.MaxUnavailable.String()...)
	}
	if a.Lookup != nil {
		b = append(append(append(append(b, 0), a.Lookup.ID...), 0), a.Lookup.Of.String()...)
		b = a.Lookup.Tags.AppendJSON(append(append(append(b, 0), a.Lookup.Name...), 0))
	}
	if !a.Was.IsZero() {
		b = append(append(b, 0), a.Was.String()...)
	}
	return append(b, 2)
}

// Digest returns what identifies the settings.
func (s *AcceptedSettings) Digest() (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("ledger: encode the settings of %s: %w", s.Source, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
