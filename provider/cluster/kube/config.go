package kube

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/internal/budget"
)

// Config is how to reach one cluster and who asks: one context of a kubeconfig.
type Config struct {
	Server     string
	ServerName string // that its certificate is for; "" means the host of Server
	CA         []byte // PEM
	Cert, Key  []byte // PEM, of a client with a certificate
	Token      string
}

// file is a kubeconfig as it is written.
type file struct {
	APIVersion string    `yaml:"apiVersion"`
	Kind       string    `yaml:"kind"`
	Current    string    `yaml:"current-context"`
	Clusters   []cluster `yaml:"clusters"`
	Contexts   []use     `yaml:"contexts"`
	Users      []user    `yaml:"users"`
}

type cluster struct {
	Name    string `yaml:"name"`
	Cluster struct {
		Server     string `yaml:"server"`
		CAData     string `yaml:"certificate-authority-data,omitempty"`
		CAFile     string `yaml:"certificate-authority,omitempty"`
		Insecure   bool   `yaml:"insecure-skip-tls-verify,omitempty"`
		ServerName string `yaml:"tls-server-name,omitempty"`
	} `yaml:"cluster"`
}

type use struct {
	Name    string `yaml:"name"`
	Context struct {
		Cluster string `yaml:"cluster"`
		User    string `yaml:"user"`
	} `yaml:"context"`
}

type user struct {
	Name string `yaml:"name"`
	User struct {
		CertData string `yaml:"client-certificate-data,omitempty"`
		KeyData  string `yaml:"client-key-data,omitempty"`
		CertFile string `yaml:"client-certificate,omitempty"`
		KeyFile  string `yaml:"client-key,omitempty"`
		Token    string `yaml:"token,omitempty"`
	} `yaml:"user"`
}

// Parse reads one context of a kubeconfig; "" is the current one. Files that it names are relative to
// dir.
func Parse(text []byte, context, dir string) (Config, error) {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return Config{}, errors.New("the kubeconfig is not YAML") // the text of the error could show a key
	}
	if context == "" {
		context = f.Current
	}
	for _, x := range f.Contexts {
		if x.Name == context {
			return f.config(x, dir)
		}
	}
	return Config{}, fmt.Errorf("the kubeconfig has no context %q", context)
}

func (f *file) config(x use, dir string) (out Config, err error) {
	found := 0
	for _, c := range f.Clusters {
		if c.Name != x.Context.Cluster {
			continue
		}
		if c.Cluster.Insecure {
			return Config{}, fmt.Errorf("the context %q does not verify the certificate of its cluster "+
				"(insecure-skip-tls-verify)",
				x.Name)
		}
		found++
		out.Server, out.ServerName = c.Cluster.Server, c.Cluster.ServerName
		if out.CA, err = data(c.Cluster.CAData, c.Cluster.CAFile, dir); err != nil {
			return Config{}, err
		}
	}
	for _, u := range f.Users {
		if u.Name != x.Context.User {
			continue
		}
		found++
		out.Token = u.User.Token
		if out.Cert, err = data(u.User.CertData, u.User.CertFile, dir); err != nil {
			return Config{}, err
		}
		if out.Key, err = data(u.User.KeyData, u.User.KeyFile, dir); err != nil {
			return Config{}, err
		}
	}
	if found != 2 || out.Server == "" {
		return Config{}, fmt.Errorf("the context %q has no cluster with a server, or no user", x.Name)
	}
	return out, nil
}

// data gives what is written in base64, or in a file.
func data(encoded, name, dir string) ([]byte, error) {
	if encoded != "" {
		b, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, errors.New("the kubeconfig has data that is not base64")
		}
		return b, nil
	}
	if name == "" {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return budget.ReadFile(name, budget.Text)
}

// Kubeconfig is the text of a kubeconfig with this context alone.
func (c Config) Kubeconfig(name string) ([]byte, error) {
	f := file{
		APIVersion: "v1", Kind: "Config", Current: name, Clusters: make([]cluster, 1), Contexts: make([]use, 1),
		Users: make([]user, 1),
	}
	f.Clusters[0].Name, f.Contexts[0].Name, f.Users[0].Name = name, name, name
	f.Contexts[0].Context.Cluster, f.Contexts[0].Context.User = name, name
	f.Clusters[0].Cluster.Server, f.Clusters[0].Cluster.ServerName = c.Server, c.ServerName
	f.Clusters[0].Cluster.CAData = base64.StdEncoding.EncodeToString(c.CA)
	f.Users[0].User.CertData = base64.StdEncoding.EncodeToString(c.Cert)
	f.Users[0].User.KeyData = base64.StdEncoding.EncodeToString(c.Key)
	f.Users[0].User.Token = c.Token
	return yaml.Marshal(f)
}

func (c Config) tls() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName}
	if len(c.CA) > 0 {
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, errors.New("the kubeconfig has no certificate of an authority")
		}
	}
	if len(c.Cert) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, errors.New("the certificate and the key in the kubeconfig do not fit")
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}
