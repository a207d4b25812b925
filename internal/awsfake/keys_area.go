package awsfake

func keysKinds() []kind {
	return []kind{
		{Name: "log-group", Word: "log_group", Rank: 25, Type: (*logGroup)(nil)},
		{Name: "kms-key", Word: "kms_key", Rank: 26, Type: (*kmsKey)(nil)},
		{Name: "kms-alias", Type: (*kmsAlias)(nil)},
		{Name: "secret", Rank: 27, Type: (*kept)(nil)},
		{Name: "certificate", Rank: 28, Type: (*certificate)(nil)},
	}
}

func keysActions() map[string]map[string]handler {
	return map[string]map[string]handler{"acm": acmActions(), "kms": kmsActions(), "logs": logsActions(), "secretsmanager": secretActions()}
}
