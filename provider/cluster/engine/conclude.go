package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"syscall"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/resource"
)

// inside is the evidence about a cluster that its engine, the files of its server and its API server show. A cluster
// that ovi created has a file in its server since its creation ended.
type inside struct {
	seen
	host      *Host
	config    kube.Config
	unusable  error // the kubeconfig is there, and cannot be used
	noConfig  bool  // there is no kubeconfig
	address   string
	finished  resource.Sign // the file that ends a creation
	untouched resource.Sign // objects of users, if the API server could be asked for them
	health    resource.Health
}

// conclude returns the condition of a cluster from all evidence, as resource.Conclude does. A cluster that something
// other than ovi created, that has data, or whose API server answers is never taken for the rest of a creation.
func (x *inside) conclude(ctx context.Context, marks resource.Marks) (resource.Condition, string) {
	read := func(what string, seen bool) resource.Sign { return resource.Sign{What: what, Known: true, Seen: seen} }
	kubeconfig := read("its kubeconfig", !x.noConfig)
	if x.unusable != nil {
		kubeconfig = read("a kubeconfig that can be used", false)
	}
	wayIn := "the port of its API server on the host" // the container whose port leads to the API server
	if x.entry.ID == x.server.ID && x.Program.Balances {
		wayIn = "its load balancer"
	}
	parts := []resource.Sign{kubeconfig, read(wayIn, x.address != "")}
	closed := false // no client could ever reach its API server
	for _, n := range x.nodes() {
		if n.State == neverStarted {
			parts = append(parts, read("the start of "+n.Name(), false))
			closed = closed || n.ID == x.entry.ID || n.ID == x.server.ID
		}
	}
	if marks.IsZero() {
		return resource.Conclude(parts, []resource.Sign{read("another creator", true)})
	}
	// A creation can be interrupted after all parts exist. Then nothing of a user is in the cluster.
	unended := x.finished.Known && !x.finished.Seen && x.health == resource.Healthy &&
		x.untouched.Known && !x.untouched.Seen
	if !x.finished.Known || unended {
		parts = append(parts, x.finished)
	}
	uses := []resource.Sign{x.finished}
	switch {
	case closed:
	case !kubeconfig.Seen && x.address != "":
		uses = append(uses, answers(ctx, x.address), x.data(ctx))
	case !kubeconfig.Seen:
		uses = append(uses, x.data(ctx))
	case x.address == "":
		uses = append(uses, resource.Sign{What: objects})
	default:
		uses = append(uses, x.untouched)
	}
	return resource.Conclude(parts, uses)
}

// objects are the evidence that a user put something into a cluster.
const objects = "objects of users"

// data is the sign that the API server has kept something: kind and k3d write the kubeconfig before that.
func (x *inside) data(ctx context.Context) resource.Sign {
	found, err := x.host.HasFile(ctx, x.id, x.Program.Data)
	return signOf("data of its API server", found, err)
}

func signOf(what string, seen bool, err error) resource.Sign {
	if err != nil {
		return resource.Sign{What: what, Why: err.Error()}
	}
	return resource.Sign{What: what, Known: true, Seen: seen}
}

// answers is the sign that an API server answers at an address. ovi cannot verify its certificate without a
// kubeconfig, and need not: a certificate is an answer.
func answers(ctx context.Context, address string) resource.Sign {
	const what = "an API server that answers"
	ctx, stop := context.WithTimeout(ctx, readyWait)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return signOf(what, false, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := client.Do(q)
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return signOf(what, true, a.Body.Close())
	case errors.As(err, &certificate):
		return signOf(what, true, nil)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return signOf(what, false, nil)
	}
	return signOf(what, false, err)
}

// readConfig reads the address and the kubeconfig of a cluster. A missing or unusable kubeconfig is evidence, and no
// error.
func (x *inside) readConfig(ctx context.Context) error {
	if n, ok := published(&x.entry, "6443/tcp"); ok {
		x.address = x.host.at(n)
	}
	text, err := x.host.file(ctx, x.seen)
	switch {
	case engineapi.IsNotFound(err):
		x.noConfig = true
		return nil
	case err != nil:
		return err
	}
	x.config, x.unusable = kube.Parse(text, "", "")
	x.config.Server = x.address
	return nil
}
