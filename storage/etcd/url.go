package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/storage"
)

// Parse reads etcd://[user[:password]@]host:port[,host:port…][/prefix][?options]. The
// options are tls=true, ca=FILE, cert=FILE, key=FILE and password-file=FILE: a password on a
// command line is visible to all users of the host. Files are read here. No error contains
// the password.
func Parse(raw string) (Config, error) {
	rest, ok := strings.CutPrefix(raw, "etcd://")
	if !ok {
		return Config{}, fmt.Errorf("etcd: invalid store: use etcd://host:2379,host:2379/prefix")
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 && strings.ContainsAny(rest[:at], "/?") {
		return Config{}, fmt.Errorf("etcd: what is before the @ has a / or ?: in a user or password write %%2F for / and " +
			"%%3F for ?, or use password-file=FILE; a prefix has no @, and in the name of a file it is %%40")
	}
	rest, query, _ := strings.Cut(rest, "?")
	authority, prefix, _ := strings.Cut(rest, "/")
	cfg := Config{Prefix: prefix}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, password, _ := strings.Cut(authority[:at], ":")
		var errUser, errPassword error
		cfg.Username, errUser = url.PathUnescape(user)
		cfg.Password, errPassword = url.PathUnescape(password)
		if errUser != nil || errPassword != nil {
			return Config{}, fmt.Errorf("etcd: the user or the password has a %% that starts no escape: use %%25 for it")
		}
		authority = authority[at+1:]
	}
	for _, host := range strings.Split(authority, ",") {
		if host == "" {
			return Config{}, fmt.Errorf("etcd: an endpoint is missing: use etcd://host:2379,host:2379/prefix")
		}
		if !strings.Contains(host[strings.LastIndexByte(host, ']')+1:], ":") {
			host += ":2379"
		}
		cfg.Endpoints = append(cfg.Endpoints, host)
	}
	return cfg, cfg.options(query)
}

func (c *Config) options(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("etcd: the options after ? cannot be read: %w", err)
	}
	for name := range q {
		switch name {
		case "tls", "ca", "cert", "key", "password-file":
		default:
			return fmt.Errorf("etcd: unknown option %q: use tls, ca, cert, key or password-file", name)
		}
	}
	if file := q.Get("password-file"); file != "" {
		b, err := budget.ReadFile(file, budget.Text)
		if err != nil {
			return fmt.Errorf("etcd: the password file: %w", err)
		}
		c.Password = strings.TrimRight(string(b), "\r\n")
	}
	files := q.Has("ca") || q.Has("cert") || q.Has("key")
	switch on := q.Get("tls"); {
	case on == "true", on == "" && !q.Has("tls"):
	case on == "false" && !files:
	case on == "false":
		return fmt.Errorf("etcd: tls=false with ca, cert or key: remove one of them")
	default:
		return fmt.Errorf("etcd: invalid tls=%s: use true or false", on)
	}
	if q.Get("tls") == "true" || files {
		c.TLS, err = tlsConfig(q.Get("ca"), q.Get("cert"), q.Get("key"))
	}
	return err
}

// Loopback reports that all endpoints are on this host.
func (c Config) Loopback() bool {
	for _, endpoint := range c.Endpoints {
		host, _, _ := net.SplitHostPort(endpoint)
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}

// complete rejects a user without a password and the reverse: the client would connect anonymously
// without an error.
func (c Config) complete() error {
	e := &Error{Where: strings.Join(c.Endpoints, ","), Op: "connect", Err: storage.ErrInvalid}
	switch {
	case c.Username != "" && c.Password == "":
		e.What = fmt.Sprintf("user %q has no password", c.Username)
		e.Next = "set it with OVI_STORE_PASSWORD_FILE, OVI_STORE_PASSWORD or password-file; omit the user if a client " +
			"certificate names it"
	case c.Username == "" && c.Password != "":
		e.What, e.Next = "the password has no user",
			"set the user in the store, etcd://USER@host:2379/prefix, or in OVI_STORE_USER"
	default:
		return nil
	}
	return e
}

func tlsConfig(ca, cert, key string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := budget.ReadFile(ca, budget.Text)
		if err != nil {
			return nil, fmt.Errorf("etcd: the certificate in ca: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("etcd: %s contains no PEM certificate", ca)
		}
	}
	if (cert == "") != (key == "") {
		return nil, fmt.Errorf("etcd: cert and key must be set together")
	}
	if cert != "" {
		pair, err := budget.KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("etcd: the client certificate in %s with the key in %s: %w", cert, key, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// Config is the location of the store and the credentials.
type Config struct {
	Endpoints []string // host:port
	Prefix    string   // of all keys; "" is "/ovi"
	TLS       *tls.Config
	Username  string
	Password  string
}
