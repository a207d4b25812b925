package config

// shape tells the three shapes of a node apart.
type shape uint8

const (
	scalar shape = iota
	list
	object
)

// typ is the type of a scalar as its format says it, before any schema is asked.
type typ uint8

const (
	strT typ = iota
	intT
	floatT
	boolT
	nullT
)

// node is one node of a document, the same whichever reader made it. Lines and columns count
// from 1; columns count characters.
type node struct {
	shape     shape
	typ       typ
	quoted    bool
	line, col int32
	text      string // of a scalar: as written, without quotes
	kids      []node // of a list: the items; of an object: key, value, key, value …
}

// get finds the value of a key in an object.
func (n *node) get(key string) *node {
	if n.shape != object {
		return nil
	}
	for i := 0; i+1 < len(n.kids); i += 2 {
		if n.kids[i].text == key {
			return &n.kids[i+1]
		}
	}
	return nil
}

// null says that a key stands there without a value.
func (n *node) null() bool { return n.shape == scalar && n.typ == nullT }

// what names the node for people.
func (n *node) what() string {
	switch {
	case n.shape == list:
		return "a list"
	case n.shape == object:
		return "a block of keys"
	case n.typ == nullT:
		return "nothing"
	case n.typ == boolT:
		return n.text
	case n.typ == intT, n.typ == floatT:
		return "the number " + clip(n.text)
	}
	return "the text " + quote(n.text)
}

// appendKey appends what makes the node's content, without its place: two nodes with equal
// keys mean the same.
func (n *node) appendKey(dst []byte) []byte {
	dst = append(dst, byte('0'+n.shape), byte('a'+n.typ))
	dst = append(dst, n.text...)
	dst = append(dst, 0)
	for i := range n.kids {
		dst = n.kids[i].appendKey(dst)
	}
	return append(dst, 1)
}
