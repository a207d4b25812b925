// Package held knows the credentials that the process itself holds, so that no error, log line or record quotes
// them: those in its environment, and in the files of AWS, Kubernetes and container registries that programs read.
package held

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/internal/brief"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

const (
	leastLength = 6        // a shorter value is in too many words
	largestFile = 64 << 10 // a larger file is no file of credentials
	// longestError and longestText limit what is shown of a text. The other system decides how long its errors are, and
	// the search takes a thousand times their memory.
	longestError = 8 << 10
	longestText  = 64 << 10
	// overlap is searched behind the end of a shown text, for a secret that the end cuts in two.
	overlap = 8 << 10
)

var (
	secretName = regexp.MustCompile(`(?i)TOKEN|PASSW|SECRET|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE|_AUTH$|_KEY$`)
	// publicName are names like these whose values are a path, a host, an identifier or a public key.
	publicName = regexp.MustCompile(`(?i)_FOR$|_PATH$|_ID$|_URL$|_URI$|_CACHE$|^OVI_LOG_KEY$|^OVI_SIGN_KEY$|^SSH_`)
	inURL      = regexp.MustCompile(`://[^/@\s]*:([^/@\s]+)@`)
	// inUser is the only part of a URL before its host: a token if it is long, else a name.
	inUser  = regexp.MustCompile(`https?://([^/:@\s]{16,})@`)
	inQuery = regexp.MustCompile(`(?i)[?&][\w.-]*(?:token|passw|password|secret|api_?key|sig|signature)=([^&#\s]+)`)
	// inPath is the end of a long path, which is the secret of a webhook.
	hook    = regexp.MustCompile(`(?i)WEBHOOK|_HOOK`)
	inPath  = regexp.MustCompile(`https?://[^/\s]+/[^?#\s]*?([^/?#\s]{16,})/?(?:[?#]|$)`)
	inStore = regexp.MustCompile(`[?&]password-file=([^&\s]+)`)
	inINI   = regexp.MustCompile(`(?m)^\s*\w*(?:secret_access_key|session_token)\s*=\s*(\S+)`)
	inYAML  = regexp.MustCompile(`(?m)(?:^|[\s{,"'])(?:[\w-]*token|password|client-key-data)["']?\s*:\s*["']?([^"'\s,}]+)`)
	inAuth  = regexp.MustCompile(`"(?:auth|identitytoken)"\s*:\s*"([^"]+)"`)
	// authorization matches the proof in a signed request. It holds for minutes.
	authorization = regexp.MustCompile(`(?i)(AWS4-HMAC-SHA256|Authorization\W{1,3}(?:Basic|Bearer))[^"'<>\r\n]*|` +
		`(X-Amz-Signature|X-Amz-Security-Token|\bSignature)=[^\s"'<>&,]+`)
)

// Secrets knows the credentials of the process. The zero value and nil know no credential.
type Secrets struct {
	find func() []string
	once sync.Once
	all  []string
}

// Of knows the credentials of an environment, with the values as "NAME=value". read reads a file, and files are the
// files of providers. They are read when a text is concealed for the first time.
func Of(
	environ []string, read func(name string) ([]byte, error), files func() []provider.CredentialFile,
) *Secrets {
	return &Secrets{find: func() []string { return find(environ, read, files()) }}
}

// Text returns the text without credentials and without the authorization of a request. A word of more than 1 KiB and a
// text of more than 64 KiB end with the number of bytes that are not shown.
func (s *Secrets) Text(text string) string { return s.text(text, longestText) }

func (s *Secrets) text(text string, longest int) string {
	if s == nil || text == "" {
		return text
	}
	more := 0
	if len(text) > longest {
		more = len(text) - longest
		text = text[:min(len(text), longest+overlap)]
	}
	s.once.Do(func() {
		if s.find != nil {
			s.all = s.find()
		}
	})
	text = brief.Words(resource.ConcealText(authorization.ReplaceAllString(text, "(secret)"), s.all...))
	if more > 0 {
		text = fmt.Sprintf("%s... (%d more bytes)", strings.ToValidUTF8(text[:min(len(text), longest)], ""), more)
	}
	return text
}

// Error returns the error without credentials, with at most 8 KiB of its text; it wraps the error.
func (s *Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if concealed := s.text(text, longestError); concealed != text {
		return &quoting{err, concealed}
	}
	return err
}

// quoting is an error that quoted a credential, or had a text that is too long.
type quoting struct {
	error
	text string
}

func (e *quoting) Error() string { return e.text }

func (e *quoting) Unwrap() error { return e.error }

func find(
	environ []string, read func(string) ([]byte, error), files []provider.CredentialFile,
) (out []string) {
	add := func(value string) {
		if value = strings.TrimSpace(value); len(value) >= leastLength {
			out = append(out, value)
		}
	}
	file := func(name string) string {
		if name == "" {
			return ""
		}
		text, err := read(name)
		if err != nil || len(text) > largestFile {
			return ""
		}
		return string(text)
	}
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
		switch of, isFile := strings.CutSuffix(name, "_FILE"); {
		case isFile && secretName.MatchString(of) && !strings.Contains(of, "TRUSTED"):
			add(file(value))
		case !isFile && secretName.MatchString(name) && !publicName.MatchString(name):
			add(value)
		}
		inside(value, add, inURL, inUser, inQuery, inAuth)
		if hook.MatchString(name) {
			inside(value, add, inPath)
		}
		for _, m := range inStore.FindAllStringSubmatch(value, -1) {
			add(file(m[1]))
		}
	}
	files = append(files,
		provider.CredentialFile{Variable: "KUBECONFIG", Home: ".kube/config"},
		provider.CredentialFile{Variable: "REGISTRY_AUTH_FILE", Home: ".config/containers/auth.json"},
		provider.CredentialFile{Home: ".docker/config.json"})
	for _, f := range files {
		for _, name := range placesOf(f, values) {
			text := file(name)
			inside(text, add, inINI, inYAML, inAuth)
		}
	}
	return out
}

// inside adds the matches of expressions in a text, and the same decoded.
func inside(text string, add func(string), expressions ...*regexp.Regexp) {
	for _, in := range expressions {
		for _, m := range in.FindAllStringSubmatch(text, -1) {
			add(m[1])
			switch plain, err := base64.StdEncoding.DecodeString(m[1]); {
			case in != inAuth:
				if plain, err := url.PathUnescape(m[1]); err == nil {
					add(plain)
				}
			case err == nil:
				_, password, _ := strings.Cut(string(plain), ":")
				add(password)
			}
		}
	}
}

// placesOf are the names of a file of credentials: those in its variable, else the one under the home folder.
func placesOf(f provider.CredentialFile, values map[string]string) []string {
	switch {
	case values[f.Variable] != "":
		return filepath.SplitList(values[f.Variable])
	case values["HOME"] == "":
		return nil
	}
	return []string{filepath.Join(values["HOME"], f.Home)}
}
