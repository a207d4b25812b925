package gitclone

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ParseRemote reads the URL of a repository, and what follows it. It refuses what git or ssh could take for an
// option, and secrets: the URL is recorded.
func ParseRemote(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // without the URL, which may hold a password
		}
		return nil, fmt.Errorf("invalid URL: %w", err)
	}
	if err := check(u); err != nil {
		return nil, err
	}
	return u, nil
}

func check(u *url.URL) error {
	_, password := u.User.Password()
	switch {
	case password:
		return fmt.Errorf("the URL holds a password, and it would be recorded: remove it, and set OVI_GIT_TOKEN")
	case u.Scheme == "https" && u.User != nil:
		return fmt.Errorf("the URL holds a user name: remove it, and set OVI_GIT_TOKEN")
	case u.Scheme == "file" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
	case u.Scheme == "file":
		return fmt.Errorf("a repository on this host needs an absolute path: file:///PATH")
	case u.Scheme != "https" && u.Scheme != "ssh":
		return fmt.Errorf("unknown scheme %q: use https://, ssh:// or file://", u.Scheme)
	case u.Host == "" || strings.HasPrefix(u.Host, "-") || strings.HasPrefix(u.User.Username(), "-"):
		return fmt.Errorf("invalid host %q", u.Host)
	}
	if u.Fragment != "" || strings.HasPrefix(u.Path, "//") || strings.Trim(u.Path, "/") == "" {
		return fmt.Errorf("the URL names no repository: use %s://HOST/REPOSITORY", u.Scheme)
	}
	return nil
}

// SameHost reports whether two URLs name one host and port.
func SameHost(a, b string) bool {
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && x.Host != "" && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}

// scheme is the only protocol that git may use.
func (c *Clone) scheme() string {
	scheme, _, _ := strings.Cut(c.Remote, ":")
	return scheme
}
