package config

import (
	"github.com/ovi-project/ovi/source"
)

func rulesKeys() []key[*setter] {
	return []key[*setter]{
		{
			name: "skip_destructive", example: "true", form: formBool,
			doc:  "Blocks every delete and replace.",
			read: (*setter).readSkipDestructive,
		},
		{
			name: "destroy", example: "auto", form: formDestroy,
			doc: "Whether `ovi run --auto-approve` also deletes and replaces: auto, or manual, which needs " +
				"`--allow-destroy`. Default: manual, and auto for charts.",
			read: (*setter).readDestroy,
		},
		{
			name: "max_destroy", example: "10%", form: formBudget,
			doc: "How many resources one plan may delete or replace: a number, or a share of the stack's " +
				"resources. A plan above it destroys nothing at all.",
			read: (*setter).readMaxDestroy,
		},
		{
			name: "attempts", example: "8", form: formNumber,
			doc: "How many attempts of one configuration of a resource may fail before ovi stops trying it, " +
				"until it changes or `ovi retry` allows more. Transient errors do not count. Default: 8.",
			read: (*setter).readAttempts,
		},
		{
			name: "windows", example: "[{days: [sat], from: 22:00, to: 04:00}]", form: formWindows,
			doc:  "Maintenance windows: what they cover is deferred until one of them opens.",
			read: (*setter).readWindows,
		},
		{
			name: "approvals", example: "[{kinds: [rds], approvers: 2}]", form: formApprovals,
			doc:  "What needs approval with `ovi approve` before it is applied.",
			read: (*setter).readApprovals,
		},
		{
			name: "rules", example: "[{name: keep-prod, when: \"…\", effect: deny}]", form: formCEL,
			doc:  "Your own rules, in CEL.",
			read: (*setter).readExpressions,
		},
		{
			name: "drift", example: "[{path: storage, when: new < old, effect: ignore}]", form: formDrifts,
			doc:  "Differences that are no drift, by a condition in CEL.",
			read: (*setter).readDrift,
		},
	}
}

func optionsKeys(o source.Options) []key[*setter] {
	out := []key[*setter]{
		{
			name: "parallelism", example: "10", form: formNumber,
			doc:  "How many resources are changed at once.",
			read: (*setter).readParallelism,
		},
		{
			name: "claim_ttl", example: "5m", form: formDuration,
			doc:  "After how long a claim expires that its owner does not renew.",
			read: (*setter).readClaimTTL,
		},
		{
			name: "skip_destructive", example: "true", form: formBool,
			doc:  "The same as in `rules`.",
			read: (*setter).readSkipDestructive,
		},
	}
	if o.Schemas == nil || o.ProviderOptions == nil {
		return out
	}
	for _, p := range o.Schemas.Providers() {
		if len(o.ProviderOptions(p)) > 0 {
			out = append(out, key[*setter]{
				name: p, example: "{KEY: VALUE}", form: formProvOpts, doc: "Options of the provider " + p + ".",
				read: func(d *setter, n *source.Node) { d.readProviderOptions(n, p) },
			})
		}
	}
	return out
}
