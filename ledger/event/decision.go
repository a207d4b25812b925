package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// Recorded returns the recorded form of a decision.
func Recorded(d decider.Decision) Decision {
	return Decision{
		Ref: d.Ref, Renamed: d.Renamed, Difference: d.Difference, Action: d.Action, Proposed: d.Proposed,
		Reason: d.Reason, Message: d.Message, Blockers: d.Blockers, Changes: d.Changes, Warnings: d.Warnings,
		Desired:    desiredOf(d),
		Suggestion: d.Suggestion, Strategy: d.Strategy, Steps: d.Steps, Turn: d.Turn, Origin: d.Origin, DataLoss: d.DataLoss,
		Alike: d.Alike,
	}
}

// Recall is the inverse of Recorded. The observed resource, which is recorded elsewhere, is given.
func (d Decision) Recall(observed *resource.Observed) decider.Decision {
	return decider.Decision{
		Ref: d.Ref, Renamed: d.Renamed, Difference: d.Difference, Action: d.Action, Proposed: d.Proposed,
		Reason: d.Reason, Message: d.Message, Blockers: d.Blockers, Changes: d.Changes, Warnings: d.Warnings,
		Observed: observed, Desired: d.Desired.desired(d.Ref, d.Changes),
		Suggestion: d.Suggestion, Strategy: d.Strategy, Steps: d.Steps, Turn: d.Turn, Origin: d.Origin, DataLoss: d.DataLoss,
		Alike: d.Alike,
	}
}

// HashDecisions returns the hash of a plan: the same decisions in the same order have the same
// hash.
func HashDecisions(decisions []Decision) (string, error) {
	h := sha256.New()
	for _, d := range decisions {
		b, err := Marshal(d)
		if err != nil {
			return "", fmt.Errorf("ledger: hash the decision on %s: %w", d.Ref, err)
		}
		h.Write(b)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// wireDecision is a Decision whose values and effects are encoded.
type wireDecision struct {
	Ref        resource.Ref              `json:"ref"`
	Renamed    *resource.Ref             `json:"renamed_from,omitempty"`
	Difference comparator.DifferenceType `json:"difference"`
	Action     decider.Action            `json:"action"`
	Proposed   decider.Action            `json:"proposed"`
	Reason     decider.Reason            `json:"reason"`
	Message    string                    `json:"message,omitempty"`
	Blockers   []decider.Blocker         `json:"blocked_by,omitempty"`
	Changes    []wireChange              `json:"changes,omitempty"`
	Warnings   []decider.Warning         `json:"warnings,omitempty"`
	Desired    *Desired                  `json:"desired,omitempty"`
	Suggestion string                    `json:"suggestion,omitempty"`
	Strategy   resource.Strategy         `json:"strategy,omitempty"`
	Steps      []replace.Step            `json:"steps,omitempty"`
	Turn       *decider.Turn             `json:"turn,omitempty"`
	Origin     *decider.Origin           `json:"origin,omitempty"`
	DataLoss   string                    `json:"data_loss,omitempty"`
	Alike      resource.Ref              `json:"alike,omitzero"`
}

type wireChange struct {
	On              resource.On     `json:"on,omitempty"`
	Path            string          `json:"path"`
	From            json.RawMessage `json:"from,omitempty"`
	To              json.RawMessage `json:"to,omitempty"`
	Effect          string          `json:"effect,omitempty"`
	KnownAfterApply bool            `json:"known_after_apply,omitempty"`
	Note            string          `json:"note,omitempty"`
}

// MarshalJSON encodes values in their canonical form, secrets as digests.
func (d Decision) MarshalJSON() ([]byte, error) {
	w := wireDecision{
		d.Ref, nil, d.Difference, d.Action, d.Proposed, d.Reason, d.Message, d.Blockers, nil, d.Warnings,
		d.Desired, d.Suggestion, d.Strategy, d.Steps, d.Turn, d.Origin, d.DataLoss, d.Alike,
	}
	if !d.Renamed.IsZero() {
		w.Renamed = &d.Renamed
	}
	for _, c := range d.Changes {
		w.Changes = append(w.Changes, toWire(c))
	}
	return Marshal(w)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (d *Decision) UnmarshalJSON(b []byte) error {
	var w wireDecision
	if err := strict(b, &w); err != nil {
		return err
	}
	*d = Decision{
		w.Ref,
		resource.Ref{},
		w.Difference, w.Action, w.Proposed, w.Reason, w.Message, w.Blockers, nil, w.Warnings,
		w.Desired, w.Suggestion, w.Strategy, w.Steps, w.Turn, w.Origin, w.DataLoss, w.Alike,
	}
	if w.Renamed != nil {
		d.Renamed = *w.Renamed
	}
	for _, x := range w.Changes {
		c, err := fromWire(x)
		if err != nil {
			return fmt.Errorf("decision on %s: %s: %w", w.Ref, x.Path, err)
		}
		d.Changes = append(d.Changes, c)
	}
	return nil
}

func toWire(c resource.Change) wireChange {
	w := wireChange{On: c.On, Path: c.Path, KnownAfterApply: c.KnownAfterApply, Note: c.Note}
	if c.From != nil {
		w.From = resource.AppendJSON(nil, c.From)
	}
	if c.To != nil {
		w.To = resource.AppendJSON(nil, c.To)
	}
	if c.Effect != resource.InPlace {
		w.Effect = c.Effect.String()
	}
	return w
}

func fromWire(w wireChange) (c resource.Change, err error) {
	c = resource.Change{On: w.On, Path: w.Path, KnownAfterApply: w.KnownAfterApply, Note: w.Note}
	if c.From, err = valueOf(w.From); err != nil {
		return c, err
	}
	if c.To, err = valueOf(w.To); err != nil {
		return c, err
	}
	switch w.Effect {
	case "":
	case resource.Restart.String():
		c.Effect = resource.Restart
	case resource.Replace.String():
		c.Effect = resource.Replace
	default:
		return c, fmt.Errorf("%w: effect %q", ErrNewer, w.Effect)
	}
	return c, nil
}

func valueOf(raw json.RawMessage) (resource.Value, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	return resource.ParseJSON(raw)
}
