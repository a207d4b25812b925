package core

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
)

// Kind describes one kind of entity. The methods of its type say what the kind can do beside being kept:
// mortal, dependent, shown, user, handled, copied.
type Kind struct {
	Name string // in the journal, and in EC2's and RDS's names of types of resources
	Word string // the word that ovi uses; Name where it is empty
	Rank int    // its place in listings; 0 means in none
	Type Entity // nil of its type

	// Prefix is that of its IDs, by which EC2's calls for tags find it, and Missing is the code where there is none.
	Prefix, Missing string
	// Tagged finds it where its ID in those calls is another one.
	Tagged func(x *Exchange, id string) (Entity, error)
	// Order creates one by hand; nil where people cannot.
	Order func(h Hand, region string, form map[string]string) error
}

// Resource is one resource of the sandbox, as a listing shows it. Kind is the
// word that ovi uses for it.
type Resource struct {
	Account string            `json:"account"`
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
type shown interface{ Show(t *Tx, out *Resource) }

// user is an entity that uses others, which AWS does not delete meanwhile: uses gives their IDs.
type user interface{ Uses(t *Tx) []string }

// UsersOf returns the entities of a region that use another one.
func UsersOf(t *Tx, region, id string) []Entity {
	var out []Entity
	for _, k := range t.St.Kinds.all {
		if _, ok := k.Type.(user); !ok {
			continue
		}
		for _, e := range t.St.Table(k.Name, region).Rows() {
			if e != nil && slices.Contains(e.(user).Uses(t), id) && !t.Unread(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// InUse reports that something uses an entity.
func InUse(x *Exchange, id string) bool { return len(UsersOf(x.Tx, x.Region, id)) > 0 }

// Kinds are all kinds that a cloud has.
type Kinds struct {
	all    []*Kind
	ByName map[string]*Kind
	byType map[reflect.Type]*Kind
}

// NewKinds returns the kinds of a cloud, to which it adds those of core.
func NewKinds(all []Kind) *Kinds {
	ks := &Kinds{ByName: map[string]*Kind{}, byType: map[reflect.Type]*Kind{}}
	own := []Kind{{Name: MarkName, Type: (*RegionMark)(nil)}, {Name: TokenName, Type: (*clientToken)(nil)}}
	for _, k := range append(own, all...) {
		k.Word = cmp.Or(k.Word, k.Name)
		ks.all = append(ks.all, &k)
		ks.ByName[k.Name], ks.byType[reflect.TypeOf(k.Type)] = &k, &k
	}
	slices.SortStableFunc(ks.all, func(a, b *Kind) int { return cmp.Compare(a.Rank, b.Rank) })
	return ks
}

// Of returns the kind of an entity.
func (ks *Kinds) Of(e Entity) *Kind { return ks.byType[reflect.TypeOf(e)] }

// Word is ovi's word for the kind of an entity.
func (ks *Kinds) Word(e Entity) string { return ks.Of(e).Word }

// Called is the kind that ovi calls by a word; nil if there is none.
func (ks *Kinds) Called(word string) *Kind {
	i := slices.IndexFunc(ks.all, func(k *Kind) bool { return k.Word == word })
	if i < 0 {
		return nil
	}
	return ks.all[i]
}

// Prefixed is the kind whose IDs have a prefix; nil if there is none.
func (ks *Kinds) Prefixed(prefix string) *Kind {
	i := slices.IndexFunc(ks.all, func(k *Kind) bool { return k.Prefix != "" && k.Prefix == prefix })
	if i < 0 {
		return nil
	}
	return ks.all[i]
}

// blank returns an empty entity of a kind for the decoder, or nil for a kind
// that this version does not know.
func (ks *Kinds) blank(name string) Entity {
	k := ks.ByName[name]
	if k == nil {
		return nil
	}
	return reflect.New(reflect.TypeOf(k.Type).Elem()).Interface().(Entity)
}

// Resources lists the entities that a listing shows: by kind, region and age.
func (t *Tx) Resources() []Resource {
	var out []Resource
	for _, k := range t.St.Kinds.all {
		for _, region := range slices.Sorted(maps.Keys(t.St.Tables[k.Name])) {
			for _, e := range t.St.Table(k.Name, region).Rows() {
				if k.Rank == 0 || e == nil || t.Unread(e) {
					continue
				}
				m := e.Meta()
				one := Resource{
					Region: m.Region, Kind: k.Word, ID: m.ID, Name: m.Tags["Name"], Ref: m.Tags["ovi:ref"],
					State: "available", Tags: maps.Clone(m.Tags),
				}
				if s, ok := e.(shown); ok {
					s.Show(t, &one)
				}
				out = append(out, one)
			}
		}
	}
	return out
}
