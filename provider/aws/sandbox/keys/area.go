package keys

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "log-group", Word: "log_group", Rank: 25, Type: (*logGroup)(nil)},
		{Name: "kms-key", Word: "kms_key", Rank: 26, Type: (*kmsKey)(nil)},
		{Name: "kms-alias", Type: (*KMSAlias)(nil)},
		{Name: "secret", Rank: 27, Type: (*kept)(nil)},
		{Name: "certificate", Rank: 28, Type: (*Certificate)(nil)},
	}
}

func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"acm": acmActions(), "kms": kmsActions(), "logs": logsActions(),
		"secretsmanager": secretActions()}
}
