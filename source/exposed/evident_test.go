package exposed

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source/terms"
)

// TestEvidentSecretsAreFound: a key with the name of a secret and a value that is nothing else.
func TestEvidentSecretsAreFound(t *testing.T) {
	for _, c := range [][2]string{
		{"password", "hunter2"},
		{"db_password", "hunter2secret9"},
		{"DB_PASSWORD", "s3cr3t!"},
		{"dbPassword", "Passw0rd"},
		{"db-passwd", "letme1n"},
		{"pwd", "Tr0ub4dor&3"},
		{"passphrase", "4-Horse-Staple!"},
		{"db_pass", "hunter2!"},
		{"password_prod", "hunter2"},
		{"password1", "hunter2"},
		{"userpassword", "hunter2"},
		{"api_key", "abc123"},
		{"apiKey", "4f9a1cc0d1e2"},
		{"APIKEY", "4f9a1cc0d1e2"},
		{"api-key", "sk-4f9a1cc0d1e2"},
		{"secret", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz1"},
		{"client_secret", "8f14e45fceea167a"},
		{"clientSecret", "dGhpcyBpcyBhIHNlY3JldA9="},
		{"aws_secret_access_key", "wJalrXUtnFEMIK7MDENGbPxRfiCY1"},
		{"auth_token", "abc123DEF456"},
		{"token_value", "abc123DEF456"},
		{"slack-token", "T024BE7LD-1f8c3a"},
		{"session.token", "a9f8e7d6c5b4"},
		{"private_key", "MIIEpAIBAAKCAQEA1234"},
		{"signing_key", "k3y-9f8e7d6c5b4a"},
		{"credentials", "admin:S3cr3tValue9"},
	} {
		if !terms.SecretName(c[0]) || !isEvident(c[0], c[1]) {
			t.Errorf("%s: %s is not found", c[0], c[1])
		}
	}
}

// TestWhatOnlyResemblesASecretIsNotOne: a setting of a secret, its name, its place or its age.
func TestWhatOnlyResemblesASecretIsNotOne(t *testing.T) {
	for _, c := range [][2]string{
		{"secret_rotation", "enabled"},
		{"secret_rotation", "30-days-2"},
		{"token_bucket", "5"},
		{"token_ttl", "3600s"},
		{"secret_name", "orders-db-1a2b3c"},
		{"secret_arn", "arn:aws:secretsmanager:eu-central-1:111111111111:secret:orders-a1B2c3"},
		{"password_policy", "strict9x"},
		{"password_length", "16"},
		{"api_key_id", "a1b2c3d4e5"},
		{"token_url", "https://login.example.com/token"},
		{"tokenizer", "bert-base-9a"},
		{"secretary", "Ms-Smith2"},
		{"monkey", "abc123def"},
		{"key", "a1b2c3d4e5f6"},
		{"sort_key", "a1b2c3d4e5f6"},
		{"kms_key", "1234abcd-12ab-34cd-56ef-1234567890ab"},
		{"public_key", "MIIEpAIBAAKCAQEA1234"},
		{"bypass", "abc123"},
		{"password", "required"},
		{"password", "true"},
		{"password", "12345678"},
		{"password", "2026-01-31"},
		{"password", "90d"},
		{"password", "managed-by-rds"},
		{"password", "orders-db2-prod"},
		{"password", "secretsmanager"},
		{"password", "secretsmanager:orders9x"},
		{"password", "vault:kv/orders-9x"},
		{"password", "/run/secrets/db_password"},
		{"password", "file:/run/s3cret"},
		{"password", "$DB_PASSWORD1"},
		{"password", "${DB_PASSWORD1}"},
		{"password", "$(cat /run/s3cret)"},
		{"password", "{{ .Values.passw0rd }}"},
		{"password", "<generated1>"},
		{"password", "********"},
		{"password", "changeme"},
		{"password", "see the wiki 2"},
		{"password", ""},
		{"pwd", "/home/app1"},
		{"secret", "orders-db"},
		{"secret", "shop/prod/orders-db"},
		{"secret", "orders-db-credentials-a1B2c3"},
		{"secret", "OrdersDbSecret"},
		{"secret", "OrdersDbSecret-x7Ab3F"},
		{"secret", "arn:aws:secretsmanager:eu-central-1:111111111111:secret:orders-a1B2c3"},
		{"secret", "db12"},
		{"secret", "orders12"},
		{"secret", "v2"},
		{"token", "web-12"},
		{"token", "github-actions"},
		{"token", "rotated-2026-01"},
		{"token", "1234abcd-12ab-34cd-56ef-1234567890ab"},
		{"token", "xxxxxxxx"},
		{"credential", "deploy-bot"},
		{"api_key", "none"},
		{"api_key", "alias/orders9xyz"},
		{"encryption_key", "projects/a1/locations/eu/keyRings/k9x"},
	} {
		if terms.SecretName(c[0]) && isEvident(c[0], c[1]) {
			t.Errorf("%s: %s is taken for a secret", c[0], c[1])
		}
	}
}

// TestFormsOfSecretsAreFound: such a text is a secret, wherever it is.
func TestFormsOfSecretsAreFound(t *testing.T) {
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789"
	for text, want := range map[string]string{
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE":                    "a private key",
		"x\n-----BEGIN OPENSSH PRIVATE KEY-----":                   "a private key",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----":                    "a private key",
		"AGE-SECRET-KEY-1" + strings.Repeat("Q", 58):               "a private key",
		"export KEY=" + "AKIA" + "ABCDEFGHIJKLMNOP; run":           "a cloud access key",
		"ASIA" + "ABCDEFGHIJKLMNOP":                                "a cloud access key",
		"git clone https://x:" + "ghp_" + letters[:36] + "@github": "a token of GitHub",
		"github_pat_" + letters[:30]:                               "a token of GitHub",
		"glpat-" + letters[:20]:                                    "a token of GitLab",
		"xoxb-" + "123456789012-abcdef":                            "a token of Slack",
		"sk_live_" + letters[:24]:                                  "a key of Stripe",
		"AIza" + letters[:35]:                                      "a key of Google",
		"SG." + letters[:22] + "." + letters[:43]:                  "a key of SendGrid",
		"npm_" + letters[:36]:                                      "a token of npm",
		"hvs." + letters[:24]:                                      "a token of Vault",

		"-----BEGIN PUBLIC KEY-----\nMIIE":   "",
		"-----BEGIN CERTIFICATE-----\nMIIE":  "",
		"the PRIVATE KEY is in the vault":    "",
		"AKIAIOSFODNN7EXAMPLE":               "",
		"AKIA and ASIA are prefixes of keys": "",
		"MAKIAABCDEFGHIJKLMNOPQ":             "",
		"ghp_ tokens are not allowed here":   "",
		"xoxb-TOKEN":                         "",
		"sk_test_" + letters[:24]:            "",
	} {
		if got := formOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestTextsNameTheirSecrets: a program or a list of settings that assigns one, and a URL.
func TestTextsNameTheirSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"#!/bin/sh\nexport DB_PASSWORD=hunter2\nrun": "a value of DB_PASSWORD",
		"DB_PASSWORD='hunter2!'":                     "a value of DB_PASSWORD",
		"A=1 API_TOKEN=abc123DEF456 run":             "a value of API_TOKEN",
		"run --password=hunter2":                     "a value of password",
		"run --api-key 4f9a1cc0d1e2":                 "a value of api-key",
		`{"host": "db", "password": "hunter2"}`:      "a value of password",
		"postgres://app:hunter@db:5432/x":            "the password of a URL",
		"redis://:hunter2@cache:6379":                "the password of a URL",

		"DB_PASSWORD=${}":                       "",
		"DB_PASSWORD=$(aws secretsmanager get)": "",
		"DB_PASSWORD=\"$PW\"":                   "",
		"DB_PASSWORD_FILE=/run/secrets/pw1":     "",
		"TOKEN=`curl x`":                        "",
		"TOKEN_TTL=3600s2":                      "",
		"export PWD=/home/app1":                 "",
		"run --password-file /run/pw1":          "",
		"run --token-ttl=30m1":                  "",
		"postgres://app:${}@db:5432/x":          "",
		"postgres://user:password@db/x":         "",
		"https://example.com:8443/a@b":          "",
		"https://user@example.com/":             "",
		`{"passwordPolicy": "strict9x"}`:        "",
		"if [ -z \"$TOKEN\" ]; then exit 1; fi": "",
	} {
		if got := saidIn(text); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
