package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

const pki = "/etc/kubernetes/pki"

// signed is a certificate with its key.
type signed struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	der  []byte
}

func certificate(template *x509.Certificate, by *signed) (signed, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return signed{}, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		return signed{}, err
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return signed{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return signed{cert, key, der}, err
}

// makeKeys makes the CA, the certificates of the API server and of the administrator, and the keys of
// service accounts.
func makeKeys(host string) error {
	if err := os.MkdirAll(pki, 0o755); err != nil {
		return err
	}
	ca, err := certificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "kubernetes"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
	if err != nil {
		return err
	}
	server, err := certificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "kube-apiserver"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{host, "localhost", "kubernetes", "kubernetes.default.svc"}, IPAddresses: addresses(),
	}, &ca)
	if err != nil {
		return err
	}
	admin, err := certificate(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kubernetes-admin", Organization: []string{"system:masters"}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, &ca)
	if err != nil {
		return err
	}
	for name, s := range map[string]signed{"ca": ca, "apiserver": server, "admin": admin} {
		key, err := x509.MarshalECPrivateKey(s.key)
		if err != nil {
			return err
		}
		base := pki + "/" + name
		err = errors.Join(writePEM(base+".crt", "CERTIFICATE", s.der), writePEM(base+".key", "EC PRIVATE KEY", key))
		if err != nil {
			return err
		}
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	return errors.Join(writePEM(pki+"/sa.key", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)),
		writePEM(pki+"/sa.pub", "PUBLIC KEY", public))
}

// addresses are those of this container, which its certificate is for.
func addresses() []net.IP {
	out := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)}
	all, _ := net.InterfaceAddrs() // without them the names remain
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
			out = append(out, n.IP)
		}
	}
	return out
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// writeKubeconfig writes the kubeconfig of the administrator.
func writeKubeconfig(path, server string) error {
	encoded := map[string]string{}
	for _, name := range []string{"ca.crt", "admin.crt", "admin.key"} {
		b, err := os.ReadFile(pki + "/" + name)
		if err != nil {
			return err
		}
		encoded[name] = base64.StdEncoding.EncodeToString(b)
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: default
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: default
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: default
  context: {cluster: default, user: default}
current-context: default
`, server, encoded["ca.crt"], encoded["admin.crt"], encoded["admin.key"])
	return os.WriteFile(path, []byte(text), 0o600)
}

func clientPool() (*x509.CertPool, error) {
	b, err := os.ReadFile(pki + "/ca.crt")
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(b)
	return pool, nil
}

// localClient asks the API server of this node as the administrator.
func localClient() (*http.Client, error) {
	pool, err := clientPool()
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(pki+"/admin.crt", pki+"/admin.key")
	if err != nil {
		return nil, err
	}
	return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{pair}},
	}}, nil
}
