package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// document is a policy of IAM in the form in which two are compared: what IAM takes for the same is
// written the same ("IAM JSON policy elements reference").
type document struct {
	ID         string           `json:"Id,omitempty"`
	Version    string           `json:"Version,omitempty"`
	Statements []map[string]any `json:"Statement"`
}

// parseDocument reads a policy. One value where a list of one is allowed, a single statement, the
// order of a list, and the two ways to name an account make no difference.
func parseDocument(s string) (document, error) {
	var raw struct {
		ID        string `json:"Id"`
		Version   string
		Statement json.RawMessage
	}
	in := json.NewDecoder(strings.NewReader(s))
	// Two policies that differ only in an unknown element would otherwise count as the same.
	in.DisallowUnknownFields()
	if err := in.Decode(&raw); err != nil {
		return document{}, fmt.Errorf("not a policy: %w", err)
	}
	if in.More() {
		return document{}, errors.New("not a policy: there is text after its end")
	}
	out := document{ID: raw.ID, Version: raw.Version}
	one := map[string]any{}
	if err := json.Unmarshal(raw.Statement, &one); err == nil {
		out.Statements = []map[string]any{one}
	} else if err := json.Unmarshal(raw.Statement, &out.Statements); err != nil {
		return document{}, errors.New("the policy has no list of statements in Statement")
	}
	for _, st := range out.Statements {
		normalize(st)
	}
	return out, nil
}

// normalize brings the elements of a statement to one form.
func normalize(st map[string]any) {
	for name, v := range st {
		switch name {
		case "Sid":
			if v == "" {
				delete(st, name)
			}
		case "Principal", "NotPrincipal":
			if m, ok := v.(map[string]any); ok {
				for k := range m {
					m[k] = oneOrSorted(m[k], account)
				}
			}
		case "Condition":
			operators, _ := v.(map[string]any)
			for _, keys := range operators {
				m, _ := keys.(map[string]any)
				for k := range m {
					m[k] = oneOrSorted(m[k], nil)
				}
			}
		default:
			st[name] = oneOrSorted(v, nil)
		}
	}
}

var rootOf = regexp.MustCompile(`^arn:[a-z-]+:iam::([0-9]{12}):root$`)

// account is the ID of an account, which IAM stores as the ARN of its root user.
func account(s string) string {
	if m := rootOf.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// oneOrSorted is a value as text, or several of them sorted, each once.
func oneOrSorted(v any, each func(string) string) any {
	var all []string
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		s, isText := x.(string)
		if !isText {
			b, err := json.Marshal(x) // true and 5 are "true" and "5"
			if err != nil {
				return v
			}
			s = string(b)
		}
		if each != nil {
			s = each(s)
		}
		all = append(all, s)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return all[0]
	}
	return all
}

// text returns the policy as JSON. The keys of maps are sorted there, so equal policies have equal
// text.
func (d document) text() string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(d); err != nil {
		return "" // of strings and lists alone: it cannot fail
	}
	return strings.TrimSpace(b.String())
}

// CanonicalDocument returns a policy in one form. Text that is not a policy is returned unchanged.
func CanonicalDocument(s string) string {
	d, err := parseDocument(s)
	if err != nil {
		return s
	}
	return d.text()
}

// SamePolicy is for policies whose text differs, also because it had references in it. The order of
// statements makes no difference either.
func SamePolicy(desired, observed resource.Value) resource.Fit {
	want, ok := desired.(resource.String)
	have, is := observed.(resource.String)
	if ok && is && sorted(string(want)) == sorted(string(have)) {
		return resource.Equivalent
	}
	return resource.Differs
}

// sorted is CanonicalDocument with its statements in one order.
func sorted(s string) string {
	d, err := parseDocument(s)
	if err != nil {
		return s
	}
	slices.SortStableFunc(d.Statements, func(a, b map[string]any) int {
		return strings.Compare(document{Statements: []map[string]any{a}}.text(),
			document{Statements: []map[string]any{b}}.text())
	})
	return d.text()
}

// ValidTrust: a policy of who may use a role has principals and no resources.
func ValidTrust(v resource.Value) []resource.Problem {
	return JudgeDocument(v, func(st map[string]any) string {
		switch {
		case !OneOf(st, "Principal", "NotPrincipal"):
			return "a statement of trust needs a Principal: who may use the role"
		case OneOf(st, "Resource", "NotResource"):
			return "a statement of trust has no Resource: that is the role"
		}
		return ""
	})
}

// ValidPolicy requires that a policy of a role's permissions has resources and no principal: its principal
// is the role.
func ValidPolicy(v resource.Value) []resource.Problem {
	return JudgeDocument(v, func(st map[string]any) string {
		switch {
		case !OneOf(st, "Resource", "NotResource"):
			return "a statement needs a Resource: what may be acted on"
		case OneOf(st, "Principal", "NotPrincipal"):
			return "a statement of a role's policy has no Principal: that is the role"
		}
		return ""
	})
}

// JudgeDocument checks a policy document. The function judge returns what is wrong, or an empty text.
func JudgeDocument(v resource.Value, judge func(map[string]any) string) []resource.Problem {
	const suggestion = `use for example {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", ...}]}`
	s, _ := v.(resource.String)
	d, err := parseDocument(string(s))
	switch {
	case err != nil:
		return WrongValue(suggestion, "%v", err)
	case d.Version != "2012-10-17" && d.Version != "2008-10-17":
		return WrongValue(`use "Version": "2012-10-17"`, "the policy has the version %q", d.Version)
	case len(d.Statements) == 0:
		return WrongValue(suggestion, "the policy has no statement")
	}
	for _, st := range d.Statements {
		problem := judge(st)
		switch {
		case st["Effect"] != "Allow" && st["Effect"] != "Deny":
			problem = "a statement needs the Effect Allow or Deny"
		case !OneOf(st, "Action", "NotAction"):
			problem = "a statement needs an Action"
		}
		if problem != "" {
			return WrongValue(suggestion, "%s", problem)
		}
	}
	return nil
}

// OneOf reports that exactly one of two elements is there.
func OneOf(st map[string]any, a, b string) bool {
	_, first := st[a]
	_, second := st[b]
	return first != second
}

// Trusting is the policy that lets services use a role.
func Trusting(services []string) string {
	list := make([]any, len(services))
	for i, s := range services {
		list[i] = s
	}
	d := document{Version: "2012-10-17", Statements: []map[string]any{{
		"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": map[string]any{"Service": oneOrSorted(list, nil)},
	}}}
	return d.text()
}

// PartitionOf is the partition of a region, as ARNs have it.
func PartitionOf(region string) string {
	for _, row := range [...][2]string{
		{"cn-", "aws-cn"},
		{"us-gov-", "aws-us-gov"},
		{"eusc-", "aws-eusc"},
		{"us-iso-", "aws-iso"},
		{"us-isob-", "aws-iso-b"},
		{"eu-isoe-", "aws-iso-e"},
		{"us-isof-", "aws-iso-f"},
	} {
		if strings.HasPrefix(region, row[0]) {
			return row[1]
		}
	}
	return "aws"
}
