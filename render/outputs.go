package render

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/outputs"
)

// OutputChange is an output of a stack that a plan or an apply changes.
type OutputChange struct {
	Type   string          `json:"type"` // "output_change"
	Stack  string          `json:"stack"`
	Name   string          `json:"name"`
	Action string          `json:"action"` // "create", "update" or "delete"
	From   json.RawMessage `json:"from"`   // the recorded value; null where there is none
	To     json.RawMessage `json:"to"`
	// KnownAfterApply: To depends on an action of the plan.
	KnownAfterApply bool `json:"known_after_apply,omitempty"`
	// Missing is the reason of an output without a value.
	Missing string `json:"missing,omitempty"`
}

// Output is a recorded output of a stack.
type Output struct {
	Type       string          `json:"type"` // "output"
	Stack      string          `json:"stack"`
	Name       string          `json:"name"`
	Value      json.RawMessage `json:"value"`             // null where there is none
	Missing    string          `json:"missing,omitempty"` // why the output has no value
	Record     uint64          `json:"record"`            // in the audit log of the instance
	Instance   string          `json:"instance"`          // that recorded it
	RecordedAt time.Time       `json:"recorded_at"`
	AgeSeconds int64           `json:"age_seconds"`
	By         string          `json:"by,omitempty"` // the user of the apply
}

// StackOutput is an output of another stack that a plan uses.
type StackOutput struct {
	Type     string          `json:"type"` // "stack_output"
	Stack    string          `json:"stack"`
	Name     string          `json:"name"`
	Value    json.RawMessage `json:"value"`
	Record   uint64          `json:"record"` // in the audit log of the instance
	Instance string          `json:"instance"`
}

// GivenValue is a variable that the command line of a plan or of the last apply sets.
type GivenValue struct {
	Type   string          `json:"type"` // "given_value"
	Stack  string          `json:"stack"`
	Name   string          `json:"name"`
	By     string          `json:"by,omitempty"`     // the option; empty if the command line does not set it now
	Value  json.RawMessage `json:"value,omitempty"`  // missing if it is a secret
	Digest string          `json:"digest,omitempty"` // of a secret
	// Was is its value in the last apply, if it was another one, and WasDigest the digest of a secret.
	Was       json.RawMessage `json:"was,omitempty"`
	WasDigest string          `json:"was_digest,omitempty"`
}

func (StackOutput) record()  {}
func (GivenValue) record()   {}
func (OutputChange) record() {}
func (Output) record()       {}

// OutputChanges turns changes of outputs into records.
func OutputChanges(all []outputs.Change) []Record {
	out := make([]Record, len(all))
	for i, c := range all {
		out[i] = OutputChange{
			Type: "output_change", Stack: c.Stack, Name: c.Name, Action: c.Action(), From: plainOrNull(c.From),
			To: plainOrNull(c.To), KnownAfterApply: c.Late, Missing: c.Missing,
		}
	}
	return out
}

// StackOutputs turns the outputs of other stacks that a plan uses into records.
func StackOutputs(all []outputs.Pin) []Record {
	out := make([]Record, len(all))
	for i, p := range all {
		out[i] = StackOutput{
			Type: "stack_output", Stack: p.Stack, Name: p.Name, Value: plainOrNull(p.Value), Record: p.Record,
			Instance: p.Instance,
		}
	}
	return out
}

// GivenValues turns the values of the command line into records.
func GivenValues(all []cmdline.Change) []Record {
	out := make([]Record, len(all))
	for i, c := range all {
		r := GivenValue{Type: "given_value", Stack: c.Stack, Name: c.Name}
		if c.Now != nil {
			r.By, r.Value, r.Digest = c.Now.By, c.Now.Value, c.Now.Digest
		}
		if c.Was != nil {
			r.Was, r.WasDigest = c.Was.Value, c.Was.Digest
		}
		out[i] = r
	}
	return out
}

// OutputOf turns a recorded output into a record.
func OutputOf(r outputs.Recorded, now time.Time) Output {
	return Output{
		Type: "output", Stack: r.Stack, Name: r.Name, Value: plainOrNull(r.Value), Missing: r.Missing,
		Record: r.Record, Instance: r.Instance,
		RecordedAt: r.At, AgeSeconds: int64(max(now.Sub(r.At), 0).Seconds()), By: r.By,
	}
}

func plainOrNull(v resource.Value) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return outputs.Plain(v)
}
