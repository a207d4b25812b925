package config_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/ovi-project/ovi/source/config"
)

// TestLaw9_SecretsStayOut_OfOtherFiles reads files that are no configuration, as a mistyped name
// does: no message shows what is in them.
func TestLaw9_SecretsStayOut_OfOtherFiles(t *testing.T) {
	const key = "AKIAFAKEFAKEFAKE"
	for name, text := range map[string]string{
		"credentials without a space": key + ":" + fakeSecret + "\n",
		"credentials with a space":    key + ": " + fakeSecret + "\n",
		"a word":                      fakeSecret + "\n",
		"words on two lines":          "one\n" + fakeSecret + "\n",
		"an INI file": "[default]\naws_access_key_id = " + key + "\naws_secret_access_key = " + fakeSecret +
			"\n",
		"an env file":             "DB_USER=app\nDB_PASSWORD=" + fakeSecret + "\n",
		"an env file below a key": "version: v1\nDB_PASSWORD=" + fakeSecret + "\n",
		"a key without a space":   "version: v1\npassword:" + fakeSecret + "\n",
		"a list":                  "- " + fakeSecret + "\n",
		"a list of resources":     "version: v1\nprovider: aws\nresources:\n  - " + fakeSecret + "\n",
		"resources":               "version: v1\nprovider: aws\nresources: " + fakeSecret + "\n",
		"an alias":                "version: v1\npassword: *" + fakeSecret + "\n",
		"a tag":                   "version: v1\npassword: !" + fakeSecret + "\n",
		"a key that is a list":    "? [" + fakeSecret + "]\n: x\n",
		"a merge":                 "version: v1\n<<: " + fakeSecret + "\n",
		"an open variable":        "version: v1\nprovider: aws\nstack: ${" + fakeSecret + "\nresources: []\n",
		"an open quote":           "version: v1\npassword: \"" + fakeSecret + "\n",
		"an open bracket":         "version: v1\npassword: [" + fakeSecret + "\n",
		"a private key":           "-----BEGIN PRIVATE KEY-----\n" + fakeSecret + "\n-----END PRIVATE KEY-----\n",
		"UTF-16":                  bigEndian(fakeSecret + "\n"),
	} {
		for _, file := range []string{"ovi.yaml", "ovi.json"} {
			opts := options(nil)
			opts.Files = fstest.MapFS{file: {Data: []byte(text)}}
			_, err := loadFrom(config.New([]string{file}, opts))
			if err == nil {
				t.Errorf("%s: no error in %s", name, file)
			} else if strings.Contains(err.Error(), fakeSecret) {
				t.Errorf("%s: an error of %s shows the secret: %s", name, file, err)
			}
			_, err = config.Rules(t.Context(), []string{file}, opts)
			if err == nil || strings.Contains(err.Error(), fakeSecret) {
				t.Errorf("%s: an error of rules in %s: %v", name, file, err)
			}
		}
	}
}

// bigEndian is UTF-16 with a byte order mark.
func bigEndian(s string) string {
	out := []byte{0xFE, 0xFF}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u>>8), byte(u))
	}
	return string(out)
}
