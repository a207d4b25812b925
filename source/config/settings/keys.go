package settings

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// RulesKeys are the keys of rules.
func RulesKeys() []read.Key[*Setter] {
	return []read.Key[*Setter]{
		{
			Name: "skip_destructive", Example: "true", Form: read.FormBool, Read: (*Setter).readSkipDestructive,
			Doc: "Blocks every delete and replace.",
		},
		{
			Name: "destroy", Example: "auto", Form: read.FormDestroy, Read: (*Setter).readDestroy,
			Doc: "Whether `ovi run --auto-approve` also deletes and replaces: auto, or manual, which needs " +
				"`--allow-destroy`. Default: manual, and auto for charts.",
		},
		{
			Name: "max_destroy", Example: "10%", Form: read.FormBudget, Read: (*Setter).readMaxDestroy,
			Doc: "How many resources one plan may delete or replace: a number, or a share of the stack's " +
				"resources. A plan above it destroys nothing at all.",
		},
		{
			Name: "attempts", Example: "8", Form: read.FormNumber, Read: (*Setter).readAttempts,
			Doc: "How many attempts of one configuration of a resource may fail before ovi stops trying it, " +
				"until it changes or `ovi retry` allows more. Only failures of the configuration count. Default: 8.",
		},
		{
			Name: "unread_max_age", Example: "168h", Form: read.FormDuration, Read: (*Setter).readUnreadMaxAge,
			Doc: "For how long what is missing is created again while its source, or its part of the source, cannot be " +
				"read: a duration, or `none` for no limit. Default: 168h.",
		},
		{
			Name: "windows", Example: "[{days: [sat], from: 22:00, to: 04:00}]", Form: read.FormWindows,
			Doc:  "Maintenance windows: what they cover is deferred until one of them opens.",
			Read: (*Setter).readWindows,
		},
		{
			Name: "approvals", Example: "[{kinds: [rds], approvers: 2}]", Form: read.FormApprovals,
			Doc:  "The actions that need approval with `ovi approve`.",
			Read: (*Setter).readApprovals,
		},
		{
			Name: "rules", Example: "[{name: keep-prod, when: \"…\", effect: deny}]", Form: read.FormCEL,
			Doc:  "Your own rules, in CEL.",
			Read: (*Setter).readExpressions,
		},
		{
			Name: "drift", Example: "[{path: storage, when: new < old, effect: ignore}]", Form: read.FormDrifts,
			Doc:  "Differences that are not drift, by a condition in CEL.",
			Read: (*Setter).readDrift,
		},
	}
}

// OptionsKeys are the keys of options, with those of the providers that have any.
func OptionsKeys(o source.Options) []read.Key[*Setter] {
	out := []read.Key[*Setter]{
		{
			Name: "parallelism", Example: "10", Form: read.FormNumber, Read: (*Setter).readParallelism,
			Doc: "How many resources are changed at once.",
		},
		{
			Name: "claim_ttl", Example: "5m", Form: read.FormDuration, Read: (*Setter).readClaimTTL,
			Doc: "After how long a claim expires that its owner does not renew.",
		},
		{
			Name: "skip_destructive", Example: "true", Form: read.FormBool, Read: (*Setter).readSkipDestructive,
			Doc: "The same as in `rules`.",
		},
	}
	out = append(out, read.Key[*Setter]{
		Name: identifier, Example: `"${environment}-${name}"`, Form: read.FormText, Read: (*Setter).readIdentifier,
		Doc: "The name on its system with which a resource is created whose block does not set it, in the kinds that have " +
			"a key for it: `identifier`, `bucket`, `log_name` or `secret_name`. `${name}` is the name of the resource. An " +
			"existing resource keeps its name.",
	})
	if o.Schemas == nil || o.ProviderOptions == nil {
		return out
	}
	for _, p := range o.Schemas.Providers() {
		if len(o.ProviderOptions(p)) > 0 {
			out = append(out, read.Key[*Setter]{
				Name: p, Example: "{KEY: VALUE}", Form: read.FormProvOpts, Doc: "Options of the provider " + p + ".",
				Read: func(d *Setter, n *source.Node) { d.readProviderOptions(n, p) },
			})
		}
	}
	return out
}
