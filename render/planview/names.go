package planview

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Names shortens refs. A location such as "123456789012/us-east-1" is shown as "us-east-1" as
// long as one account of the provider is shown.
type Names struct {
	account map[string]string // by provider: the one account, or "" for several
	scopes  []resource.Scope
}

// NewNames is made of every scope that will be shown.
func NewNames(scopes ...resource.Scope) Names {
	n := Names{account: map[string]string{}, scopes: slices.Clone(scopes)}
	slices.SortFunc(n.scopes, resource.Scope.Compare)
	n.scopes = slices.Compact(n.scopes)
	for _, s := range scopes {
		account, _, located := strings.Cut(s.Location, "/")
		if !located { // a location not yet resolved, or of a provider without accounts
			account = ""
		}
		if before, seen := n.account[s.Provider]; seen && before != account {
			account = ""
		}
		n.account[s.Provider] = account
	}
	return n
}

// accountsOf are the accounts of a provider, sorted; none if a location is not in one.
func (n Names) accountsOf(provider string) (out []string) {
	if one := n.account[provider]; one != "" {
		return []string{one}
	}
	for _, s := range n.scopes {
		if account, _, located := strings.Cut(s.Location, "/"); s.Provider == provider && located {
			out = append(out, account)
		} else if s.Provider == provider {
			return nil
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Accounts names the accounts of each provider that has any, as in "AWS account
// 123456789012", sorted by provider. If a provider's
// locations are not accounts, place describes each.
func (n Names) Accounts(place func(resource.Scope) string) []string {
	var out []string
	for _, provider := range slices.Sorted(maps.Keys(n.account)) {
		described := false
		for _, s := range n.scopes {
			if s.Provider != provider {
				continue
			}
			if text := place(s); text != "" {
				out, described = append(out, text), true
			}
		}
		switch all := n.accountsOf(provider); {
		case described:
		case len(all) == 1:
			out = append(out, strings.ToUpper(provider)+" account "+all[0])
		case len(all) > 1:
			out = append(out, strings.ToUpper(provider)+" accounts "+strings.Join(all, ", "))
		}
	}
	return slices.Compact(out)
}

// Scope is the short form of a scope.
func (n Names) Scope(s resource.Scope) string { return s.Provider + "/" + n.location(s) }

// Ref is the short form of a ref. It stays a ref: stack:provider/location/kind/name.
func (n Names) Ref(r resource.Ref) string {
	r.Location = n.location(r.Scope())
	return r.String()
}

// Shorten returns the shortest form of each of some refs that tells it from the others: kind/name,
// else with its stack, else with its location too.
func (n Names) Shorten(refs ...resource.Ref) func(resource.Ref) string {
	return resource.Shorten(refs, n.Ref)
}

func (n Names) location(s resource.Scope) string {
	account, rest, located := strings.Cut(s.Location, "/")
	if located && n.account[s.Provider] == account {
		return rest
	}
	return s.Location
}
