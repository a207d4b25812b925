package system

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/provider"
)

// The services of the table of causes.
const (
	Kubernetes = "kubernetes"
	Portainer  = "portainer"
	Git        = "git"
	Program    = "program" // kind, k3d, a hook of the user's, and the engine that they run on
)

// Causes returns the table of the systems that clusters need: what each failure means, and what to do about it. Codes
// are HTTP statuses. The first row that matches decides.
func Causes() []provider.Row {
	return slices.Concat(kubernetes(), portainer(), git(), programs())
}

func kubernetes() []provider.Row {
	const other = "another program set this; remove it there, or leave it to that program"
	rows := []provider.Row{
		{Code: "403", Text: "exceeded quota", Cause: provider.Quota, Hint: "ask the owner of the namespace for more"},
		{Code: "403", Text: "is being terminated", Cause: provider.InUseByService},
		{Text: "admission webhook", Cause: provider.Denied, Hint: "ask the owner of the cluster's admission policy"},
		{Code: "401", Cause: provider.Expired, Hint: "check the user of the context"},
		{Code: "403", Cause: provider.Denied, Hint: "check the user of the context"},
		{
			Code: "404", Text: "namespaces", Cause: provider.Configuration,
			Hint: "install Argo CD in the namespace argocd first",
		},
		{Code: "404", Cause: provider.Configuration, Absent: true},
		{Code: "409", Text: "the object has been modified", Cause: provider.InUseByService},
		{Code: "409", Text: "being deleted", Cause: provider.InUseByService},
		{Code: "409", Cause: provider.InUse, Hint: other},
		{Code: "400", Cause: provider.Configuration},
		{Code: "413", Cause: provider.Configuration},
		{Code: "415", Cause: provider.Configuration},
		{Code: "422", Cause: provider.Configuration},
		{Code: "429", Cause: provider.Throttled},
		{Code: "5??", Cause: provider.Unreachable},
	}
	return of(Kubernetes, rows)
}

func portainer() []provider.Row {
	const token = "set OVI_CLUSTER_PORTAINER_TOKEN to an access token of a user of Portainer"
	return of(Portainer, []provider.Row{
		{Code: "401", Cause: provider.Expired, Hint: token},
		{Code: "403", Cause: provider.Denied, Hint: token},
		{Code: "404", Cause: provider.Configuration, Absent: true},
		{Code: "409", Cause: provider.InUse},
		{Code: "400", Cause: provider.Configuration},
		{Code: "422", Cause: provider.Configuration},
		{Code: "429", Cause: provider.Throttled},
		{Code: "5??", Cause: provider.Unreachable},
	})
}

// git has what the program prints, in its own language, and what servers print.
func git() []provider.Row {
	const (
		token = "set OVI_GIT_TOKEN to a token that is valid for the repository, and OVI_GIT_TOKEN_FOR to its host"
		right = "give the owner of the token or key the right to push to the repository"
		url   = "check the URL of the repository, and OVI_GIT_TOKEN: a private one looks like none"
		reach = "check the URL of the repository and the network"
		trust = "trust the certificate or key of the server on this host"
	)
	return of(Git, []provider.Row{
		{Text: "authentication failed", Cause: provider.Expired, Hint: token},
		{Text: "could not read username", Cause: provider.Expired, Hint: token},
		{Text: "could not read password", Cause: provider.Expired, Hint: token},
		{Text: "error: 401", Cause: provider.Expired, Hint: token},
		{Text: "access denied", Cause: provider.Denied, Hint: right},
		{Text: "permission denied", Cause: provider.Denied, Hint: right},
		{Text: "error: 403", Cause: provider.Denied, Hint: right},
		{Text: "remote rejected", Cause: provider.Denied, Hint: "check what the server allows"},
		{Text: "hook declined", Cause: provider.Denied, Hint: "check what the server allows"},
		{Text: "not allowed", Cause: provider.Denied, Hint: right},
		{Text: "repository not found", Cause: provider.Configuration, Hint: url},
		{Text: "error: 404", Cause: provider.Configuration, Hint: url},
		{Text: "' not found", Cause: provider.Configuration, Hint: url},
		{Text: "not appear to be a git repository", Cause: provider.Configuration, Hint: url},
		{Text: "couldn't find remote ref", Cause: provider.Configuration, Hint: "push the branch first"},
		{Text: "error: 429", Cause: provider.Throttled},
		{Text: "no space left", Cause: provider.Quota, Hint: "free space on this host"},
		{Text: "quota", Cause: provider.Quota, Hint: "ask the owner of the Git server for more space"},
		{Text: "certificate", Cause: provider.Unreachable, Hint: trust},
		{Text: "host key verification failed", Cause: provider.Unreachable, Hint: trust},
		{Text: "could not resolve", Cause: provider.Unreachable, Hint: reach},
		{Text: "failed to connect", Cause: provider.Unreachable, Hint: reach},
		{Text: "couldn't connect", Cause: provider.Unreachable, Hint: reach},
		{Text: "connection refused", Cause: provider.Unreachable, Hint: reach},
		{Text: "connection reset", Cause: provider.Unreachable, Hint: reach},
		{Text: "timed out", Cause: provider.Unreachable, Hint: reach},
		{Text: "network is unreachable", Cause: provider.Unreachable, Hint: reach},
		{Text: "no route to host", Cause: provider.Unreachable, Hint: reach},
		{Text: "error: 5", Cause: provider.Unreachable, Hint: reach},
		{Text: "hung up", Cause: provider.Unreachable, Hint: reach},
		{Text: "early eof", Cause: provider.Unreachable, Hint: reach},
		{Text: "could not read from remote repository", Cause: provider.Unreachable, Hint: url},
		{Text: "cannot lock ref", Cause: provider.InUse, Hint: "run the command again"},
		{Text: "index.lock", Cause: provider.InUse, Hint: "end the other git process"},
		{Text: "program git is missing", Cause: provider.Denied, Hint: "install git on this host"},
	})
}

// programs match the output of engines and tools.
func programs() []provider.Row {
	const free = "free space on the host"
	return of(Program, []provider.Row{
		{Text: "no space left", Cause: provider.Quota, Hint: free},
		{Text: "pull rate limit", Cause: provider.Quota, Hint: "log in to the registry on the host for more pulls, or wait"},
		{Text: "toomanyrequests", Cause: provider.Throttled},
		{Text: "too many open files", Cause: provider.Quota, Hint: "raise the limits of inotify and open files"},
		{Text: "cannot allocate memory", Cause: provider.Capacity, Hint: "free memory on the host"},
		{Text: "permission denied while trying to connect", Cause: provider.Denied, Hint: "let this user use the engine"},
		{Text: "cannot connect to the docker daemon", Cause: provider.Unreachable, Hint: "start it, or set --cluster-engine"},
		{Text: "unauthorized", Cause: provider.Denied, Hint: "log in to the registry on the host"},
		{Text: "port is already allocated", Cause: provider.InUse, Hint: "use another port, or stop what uses it"},
		{Text: "address already in use", Cause: provider.InUse, Hint: "use another port, or stop what uses it"},
		{Text: "already exist for a cluster with the name", Cause: provider.InUse},
		{Text: "only be one line, got 0 lines", Cause: provider.Unreachable}, // of the engine, to kind
		{Text: "index out of range [0] with length 0", Cause: provider.Unreachable},
		{Text: "has active endpoints", Cause: provider.InUse, Hint: "stop what uses the network first"},
		{Text: "is being used", Cause: provider.InUse, Hint: "stop what uses it first"},
		{Text: "removal of container", Cause: provider.InUseByService},
		{Text: "i/o timeout", Cause: provider.Unreachable},
		{Text: "tls handshake timeout", Cause: provider.Unreachable},
		{Text: "connection refused", Cause: provider.Unreachable},
		{Text: "connection reset", Cause: provider.Unreachable},
		{Text: "no such host", Cause: provider.Unreachable},
		{Text: "network is unreachable", Cause: provider.Unreachable},
		{Text: "manifest unknown", Cause: provider.Configuration, Hint: "check image name and tag"},
	})
}

// of sets the service of rows.
func of(service string, rows []provider.Row) []provider.Row {
	for i := range rows {
		rows[i].Service = service
	}
	return rows
}

// Said returns the error of a program or server by its message. A message without a row has no cause, and the error
// counts as an attempt.
func Said(service, op, code, text string, err error) *provider.Error {
	row, _ := provider.Find(Causes(), service, op, code, text)
	return &provider.Error{
		Cause: row.Cause, Absent: row.Absent, Op: op, Code: code, Err: err, Hint: row.Hint, Row: row,
	}
}

// Failed returns the error of a program that ended with an error, with its last output.
func Failed(op string, err error, printed string) error {
	return Said(Program, op, "", printed, fmt.Errorf("%w:\n%s", err, printed))
}
