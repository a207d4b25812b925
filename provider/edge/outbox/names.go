package outbox

import "container/list"

// names are the deployments of a node, in the order of their newest events.
type names struct {
	order *list.List // of deployment, the oldest first
	at    map[deployment]*list.Element
}

func newNames() *names { return &names{list.New(), map[deployment]*list.Element{}} }

// add makes a deployment the newest one. It returns the oldest one, which is removed, if there are more than so many.
func (n *names) add(d deployment, most int) (forgets deployment, many bool) {
	if x := n.at[d]; x != nil {
		n.order.MoveToBack(x)
		return deployment{}, false
	}
	n.at[d] = n.order.PushBack(d)
	if n.order.Len() <= most {
		return deployment{}, false
	}
	forgets, _ = n.order.Remove(n.order.Front()).(deployment)
	delete(n.at, forgets)
	return forgets, true
}
