package resource

import "strings"

// Fits reports whether a user may call a resource so: by whole segments of its ref from the right
// ("web-0", "ec2/web-0", "us-east-1/ec2/web-0"), with the provider before them ("aws/ec2/web-0") or
// not, and with the stack ("shop:ec2/web-0") or, if it is the only one, without.
func (r Ref) Fits(spelling string) bool {
	if r.endsWith(spelling) {
		return true
	}
	stack, rest, ok := CutStack(spelling)
	return ok && stack == r.Stack && r.endsWith(rest)
}

func (r Ref) endsWith(spelling string) bool {
	whole := r.Bare().String()
	if whole == spelling || spelling != "" && strings.HasSuffix(whole, "/"+spelling) {
		return true
	}
	provider, rest, ok := strings.Cut(spelling, "/")
	return ok && provider == r.Provider && strings.Contains(rest, "/") && strings.HasSuffix(whole, "/"+rest)
}

// Short returns the name that users read and type: "ec2/web-0".
func (r Ref) Short() string { return r.Kind + "/" + r.Name }

// Shorten returns a function with the shortest form of each of some refs that tells it from the
// others: "ec2/web-0", else with its stack, else with its location, else with both. whole is the
// form that is unique; nil means the string form.
func Shorten(refs []Ref, whole func(Ref) string) func(Ref) string {
	if whole == nil {
		whole = Ref.String
	}
	named, inStack, at := map[string]int{}, map[string]int{}, map[Ref]int{}
	seen := map[Ref]bool{}
	for _, r := range refs {
		if !seen[r] {
			seen[r] = true
			named[r.Short()]++
			inStack[r.ShortInStack()]++
			at[r.Bare()]++
		}
	}
	return func(r Ref) string {
		if named[r.Short()] < 2 {
			return r.Short()
		}
		if inStack[r.ShortInStack()] < 2 && r.Stack != "" {
			return r.ShortInStack()
		}
		if at[r.Bare()] < 2 {
			return whole(r.Bare())
		}
		return whole(r)
	}
}

// ShortInStack is the short name with the stack, if it has one: "shop:ec2/web-0".
func (r Ref) ShortInStack() string {
	if r.Stack == "" {
		return r.Short()
	}
	return escapeStack(r.Stack) + ":" + r.Short()
}
