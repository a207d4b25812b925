package awsfake

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
)

// kind describes one kind of entity. What its type can do beside being kept is told by the methods that it has:
// mortal, dependent, shown, user, handled, copied.
type kind struct {
	Name string // in the journal, and in EC2's and RDS's names of types of resources
	Word string // the word that ovi uses; Name where it is empty
	Rank int    // its place in listings; 0: in none
	Type entity // nil of its type

	// Prefix is that of its IDs, by which EC2's calls for tags find it, and Missing is the code where there is none.
	Prefix, Missing string
	// Tagged finds it where its ID in those calls is another one.
	Tagged func(x *exchange, id string) (entity, error)
	// Order creates one by hand; nil where nobody can.
	Order func(h hand, region string, form map[string]string) error
}

// Resource is one resource of the sandbox, as a listing shows it. Kind is the
// word that ovi uses for it.
type Resource struct {
	Region  string            `json:"region"`
	Kind    string            `json:"kind"` // vpc, subnet, security_group, ec2, ebs, rds, s3
	ID      string            `json:"id"`
	Name    string            `json:"name,omitempty"` // the tag Name, or the name it was created with
	Ref     string            `json:"ref,omitempty"`  // the tag ovi:ref
	State   string            `json:"state"`
	Size    string            `json:"size,omitempty"`
	Default bool              `json:"default,omitempty"` // came with the account
	Tags    map[string]string `json:"tags,omitempty"`
}

// shown is an entity that fills in what a listing shows of its kind alone.
type shown interface{ show(t *tx, out *Resource) }

// user is an entity that uses others, which AWS does not delete meanwhile: uses gives their IDs.
type user interface{ uses(t *tx) []string }

// usersOf gives the entities of a region that use another one.
func usersOf(t *tx, region, id string) []entity {
	var out []entity
	for _, k := range t.st.kinds.all {
		if _, ok := k.Type.(user); !ok {
			continue
		}
		for _, e := range t.st.table(k.Name, region).rows() {
			if e != nil && slices.Contains(e.(user).uses(t), id) && !t.unread(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// inUse reports that something uses an entity.
func inUse(x *exchange, id string) bool { return len(usersOf(x.tx, x.Region, id)) > 0 }

// kinds are all kinds that a cloud has.
type kinds struct {
	all    []*kind
	byName map[string]*kind
	byType map[reflect.Type]*kind
}

func newKinds(all []kind) *kinds {
	ks := &kinds{byName: map[string]*kind{}, byType: map[reflect.Type]*kind{}}
	own := []kind{{Name: markName, Type: (*regionMark)(nil)}, {Name: tokenName, Type: (*clientToken)(nil)}}
	for _, k := range append(own, all...) {
		k.Word = cmp.Or(k.Word, k.Name)
		ks.all = append(ks.all, &k)
		ks.byName[k.Name], ks.byType[reflect.TypeOf(k.Type)] = &k, &k
	}
	slices.SortStableFunc(ks.all, func(a, b *kind) int { return cmp.Compare(a.Rank, b.Rank) })
	return ks
}

func (ks *kinds) of(e entity) *kind { return ks.byType[reflect.TypeOf(e)] }

// word is ovi's word for the kind of an entity.
func (ks *kinds) word(e entity) string { return ks.of(e).Word }

// called is the kind that ovi calls by a word; nil if there is none.
func (ks *kinds) called(word string) *kind {
	i := slices.IndexFunc(ks.all, func(k *kind) bool { return k.Word == word })
	if i < 0 {
		return nil
	}
	return ks.all[i]
}

// prefixed is the kind whose IDs have a prefix; nil if there is none.
func (ks *kinds) prefixed(prefix string) *kind {
	i := slices.IndexFunc(ks.all, func(k *kind) bool { return k.Prefix != "" && k.Prefix == prefix })
	if i < 0 {
		return nil
	}
	return ks.all[i]
}

// blank gives an empty entity of a kind for the decoder, or nil for a kind
// that this version does not know.
func (ks *kinds) blank(name string) entity {
	k := ks.byName[name]
	if k == nil {
		return nil
	}
	return reflect.New(reflect.TypeOf(k.Type).Elem()).Interface().(entity)
}

// resources lists the entities that a listing shows: by kind, region and age.
func (t *tx) resources() []Resource {
	var out []Resource
	for _, k := range t.st.kinds.all {
		for _, region := range slices.Sorted(maps.Keys(t.st.tables[k.Name])) {
			for _, e := range t.st.table(k.Name, region).rows() {
				if k.Rank == 0 || e == nil || t.unread(e) {
					continue
				}
				m := e.meta()
				one := Resource{
					Region: m.Region, Kind: k.Word, ID: m.ID, Name: m.Tags["Name"], Ref: m.Tags["ovi:ref"],
					State: "available", Tags: maps.Clone(m.Tags),
				}
				if s, ok := e.(shown); ok {
					s.show(t, &one)
				}
				out = append(out, one)
			}
		}
	}
	return out
}
