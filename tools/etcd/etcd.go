// Package etcd pins the etcd server the tests run against, in a module of its own: the
// product needs only the client.
package etcd

import _ "go.etcd.io/etcd/server/v3/etcdmain" // the server, built by internal/etcdtest
