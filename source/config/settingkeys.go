package config

import (
	"github.com/ovi-project/ovi/source"
)

func rulesKeys() []key[*setter] {
	return []key[*setter]{
		{"skip_destructive", "true", formBool, "Blocks every delete and replace.", (*setter).readSkipDestructive},
		{"destroy", "auto", formDestroy, "Whether `ovi run --auto-approve` also deletes and replaces: auto, or manual, which needs `--allow-destroy`. Default: manual, and auto for charts.", (*setter).readDestroy},
		{"max_destroy", "10%", formBudget, "How many resources one plan may delete or replace: a number, or a share of the stack's resources. A plan above it destroys nothing at all.", (*setter).readMaxDestroy},
		{"attempts", "8", formNumber, "How many attempts of one configuration of a resource may fail before ovi stops trying it, until it changes or `ovi retry` allows more. Transient errors do not count. Default: 8.", (*setter).readAttempts},
		{"windows", "[{days: [sat], from: 22:00, to: 04:00}]", formWindows, "Maintenance windows: what they cover is deferred until one of them opens.", (*setter).readWindows},
		{"approvals", "[{kinds: [rds], approvers: 2}]", formApprovals, "What needs approval with `ovi approve` before it is applied.", (*setter).readApprovals},
		{"rules", "[{name: keep-prod, when: \"…\", effect: deny}]", formCEL, "Your own rules, in CEL.", (*setter).readExpressions},
		{"drift", "[{path: storage, when: new < old, effect: ignore}]", formDrifts, "Differences that are no drift, by a condition in CEL.", (*setter).readDrift},
	}
}

func optionsKeys(o source.Options) []key[*setter] {
	out := []key[*setter]{
		{"parallelism", "10", formNumber, "How many resources are changed at once.", (*setter).readParallelism},
		{"claim_ttl", "5m", formDuration, "After how long a claim expires that its owner does not renew.", (*setter).readClaimTTL},
		{"skip_destructive", "true", formBool, "The same as in `rules`.", (*setter).readSkipDestructive},
	}
	if o.Schemas == nil || o.ProviderOptions == nil {
		return out
	}
	for _, p := range o.Schemas.Providers() {
		if len(o.ProviderOptions(p)) > 0 {
			out = append(out, key[*setter]{p, "{KEY: VALUE}", formProvOpts, "Options of the provider " + p + ".", func(d *setter, n *source.Node) { d.readProviderOptions(n, p) }})
		}
	}
	return out
}
