package etcd

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/storage"
)

// put is one write of a commit.
func (s layout) put(op storage.Op) clientv3.Op {
	switch {
	case op.Delete:
		return clientv3.OpDelete(s.data(op.Key))
	case op.Lease != 0:
		return clientv3.OpPut(s.data(op.Key), seal(op.Value), clientv3.WithLease(clientv3.LeaseID(op.Lease)))
	}
	return clientv3.OpPut(s.data(op.Key), seal(op.Value))
}

// puts are the writes of a commit; those of unleased keys move the head.
func (s layout) puts(ops []storage.Op, unleased bool) []clientv3.Op {
	out := make([]clientv3.Op, 0, len(ops)+1)
	for _, op := range ops {
		out = append(out, s.put(op))
	}
	if unleased {
		out = append(out, clientv3.OpPut(s.control("head"), ""))
	}
	return out
}

func (s layout) notStaged() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(s.control("staged")), "=", 0)
}

// compares are the guards, and the conditions under which what was read of the written keys is still true.
func (s layout) compares(st state, guards []storage.Guard, known known, ops []storage.Op) []clientv3.Cmp {
	var out []clientv3.Cmp
	for _, g := range guards {
		created, key := st.inside(g.Created), s.data(g.Key)
		out = append(out, between(clientv3.CreateRevision(key), created)...)
		if g.Modified != 0 {
			out = append(out, between(clientv3.ModRevision(key), st.inside(g.Modified))...)
		}
	}
	for _, op := range ops {
		if op.Delete {
			out = append(out, clientv3.Compare(clientv3.CreateRevision(s.data(op.Key)), "=", known[op.Key].created))
		}
	}
	return out
}

func between(what clientv3.Cmp, sp span) []clientv3.Cmp {
	if sp.First == sp.Last {
		return []clientv3.Cmp{clientv3.Compare(what, "=", sp.First)}
	}
	return []clientv3.Cmp{clientv3.Compare(what, ">", sp.First-1), clientv3.Compare(what, "<", sp.Last+1)}
}

func anyUnleased(ops []storage.Op) bool {
	for _, op := range ops {
		if op.Lease == 0 {
			return true
		}
	}
	return false
}

func tooLarge(guards []storage.Guard, ops []storage.Op) bool {
	if len(guards)+len(ops) > maxOps {
		return true
	}
	n := 0
	for _, op := range ops {
		n += len(op.Key) + len(op.Value)
	}
	return n > maxBytes
}

// part is one slice of a large commit.
type part []partOp

type partOp struct {
	Key    string `json:"k"`
	Value  []byte `json:"v,omitempty"`
	Delete bool   `json:"d,omitempty"`
	Lease  int64  `json:"l,omitempty"`
}

// todo is a part as etcd operations, with the condition that it is not applied yet: a part is
// applied in one transaction, so one of its keys is enough; deleting twice has no effect.
func (s layout) todo(plan staged, p part) (ops []clientv3.Op, todo []clientv3.Cmp) {
	for _, o := range p {
		if !o.Delete && todo == nil {
			todo = append(todo, clientv3.Compare(clientv3.ModRevision(s.data(o.Key)), "<", plan.rev))
		}
		ops = append(ops, s.put(storage.Op{Key: o.Key, Value: o.Value, Delete: o.Delete, Lease: storage.LeaseID(o.Lease)}))
	}
	return ops, todo
}
