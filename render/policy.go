package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render/term"
)

// Approval is an operator's approval of what a plan proposes.
type Approval struct {
	Type     string    `json:"type"` // "approval"
	Plan     string    `json:"plan"`
	Digest   string    `json:"digest"` // of the proposals that it approves
	Who      string    `json:"who"`
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason,omitempty"`
	People   int       `json:"approvers"`     // how many different approvers the rules require
	Approved []string  `json:"approved"`      // who approves it now, as the rules count
	Signed   bool      `json:"signed"`        // the rules require signed approvals
	Key      string    `json:"key,omitempty"` // fingerprint of the key that signed it
}

func (Approval) record() {}

// Judged is the result of the policies for a decision: "passes", "denied", "needs_approval",
// "deferred".
type Judged struct {
	Summary string     `json:"result"`
	Policy  string     `json:"policy,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Until   *time.Time `json:"until,omitempty"`
}

// Tried is a recorded decision with the result of the policies then, and of those tested.
type Tried struct {
	Type     string            `json:"type"` // "policy_result"
	Ref      string            `json:"ref"`
	Stack    string            `json:"stack,omitempty"`
	Proposed string            `json:"proposed"`
	First    time.Time         `json:"first"`
	Last     time.Time         `json:"last"`
	Times    int               `json:"times"` // plans with the same decision and result
	Plan     string            `json:"plan"`  // the first of them
	Done     bool              `json:"done"`  // it was executed in one of them
	Flips    bool              `json:"flips"`
	Was      Judged            `json:"was"`
	Would    Judged            `json:"would"`
	Warnings []decider.Warning `json:"warnings,omitempty"`
}

// Trial sums up a test of policies.
type Trial struct {
	Type      string `json:"type"` // "policy_test"
	Plans     int    `json:"plans"`
	Decisions int    `json:"decisions"`
	Flips     int    `json:"flips"`
	Unjudged  int    `json:"unjudged"` // plans that the audit log no longer has in full
}

// RuleSays is the result of one rule for one decision of a plan.
type RuleSays struct {
	Type     string     `json:"type"` // "rule_result"
	Ref      string     `json:"ref"`
	Proposed string     `json:"proposed"`
	Rule     string     `json:"rule"`
	Holds    bool       `json:"holds"`
	Effect   string     `json:"effect,omitempty"`
	Message  string     `json:"message,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
	Failed   bool       `json:"failed"` // it could not be evaluated
	File     string     `json:"file,omitempty"`
	Line     int        `json:"line,omitempty"`
	Column   int        `json:"column,omitempty"`
}

func (Tried) record()    {}
func (Trial) record()    {}
func (RuleSays) record() {}

// TriedTable lists the tested decisions for people; those whose result changes have a sign.
func TriedTable(rows []Tried) term.Table {
	t := term.Table{Head: []string{"", "LAST", "RESOURCE", "PROPOSED", "WAS", "WOULD BE", "REASON"}, Flexible: 6}
	for _, r := range rows {
		sign := ""
		if r.Flips {
			sign = "≠"
		}
		was := r.Was.words()
		if r.Done {
			was = "done"
		}
		proposed := r.Proposed
		if r.Times != 1 {
			proposed += fmt.Sprintf(" ×%d", r.Times)
		}
		t.Rows = append(t.Rows, []string{
			sign, r.Last.UTC().Format("2006-01-02 15:04"), r.Ref, proposed, was, r.Would.words(), r.why(),
		})
	}
	return t
}

func (r Tried) why() string {
	var out []string
	if r.Would.Policy != "" {
		out = append(out, r.Would.Policy+": "+r.Would.Reason)
	} else if r.Was.Policy != "" {
		out = append(out, "was blocked by "+r.Was.Policy)
	}
	for _, w := range r.Warnings {
		out = append(out, "warning by "+w.Policy+": "+w.Text)
	}
	return strings.Join(out, "; ")
}

func (j Judged) words() string {
	if j.Until != nil {
		return "deferred to " + j.Until.UTC().Format("2006-01-02 15:04")
	}
	return strings.ReplaceAll(j.Summary, "_", " ")
}

// Sentence is the result of the test.
func (t Trial) Sentence() string {
	flips := Many(t.Flips, "result") + " change"
	if t.Flips == 1 {
		flips = "1 result changes"
	}
	return fmt.Sprintf("%s of %s tested; %s.", Many(t.Decisions, "decision"), Many(t.Plans, "plan"), flips)
}

// NotJudged says how many plans the audit log no longer has in full.
func (t Trial) NotJudged() string {
	return Many(t.Unjudged, "plan") + " could not be tested: the audit log no longer has all of their records"
}

// RuleTable lists the results of a rule, for people.
func RuleTable(rows []RuleSays) term.Table {
	t := term.Table{Head: []string{"RESOURCE", "PROPOSED", "MATCHES", "EFFECT", "MESSAGE"}, Flexible: 4}
	for _, r := range rows {
		holds := "no"
		switch {
		case r.Failed:
			holds = "failed"
		case r.Holds:
			holds = "yes"
		}
		effect := strings.ReplaceAll(r.Effect, "_", " ")
		if r.Until != nil {
			effect += " until " + phrase.Minute(*r.Until)
		}
		t.Rows = append(t.Rows, []string{r.Ref, r.Proposed, holds, effect, r.Message})
	}
	return t
}
