// Package keys has what the sandbox keeps for others: KMS keys and aliases, secrets, log groups, and certificates. It
// promises the windows of deletion. It encrypts nothing, and keeps a digest where AWS keeps a value.
package keys

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "log-group", Word: "log_group", Rank: 25, Type: (*logGroup)(nil)},
		{Name: "kms-key", Word: "kms_key", Rank: 26, Type: (*kmsKey)(nil)},
		{Name: "kms-alias", Type: (*KMSAlias)(nil)},
		{Name: "secret", Rank: 27, Type: (*kept)(nil)},
		{Name: "certificate", Rank: 28, Type: (*Certificate)(nil)},
	}
}

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{
		"acm": acmActions(), "kms": kmsActions(), "logs": logsActions(),
		"secretsmanager": secretActions(),
	}
}
