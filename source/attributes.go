package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// most bounds each table of what resources share: a stack of nothing but different ones gains nothing from more.
const most = 16384

// checked is the result of checking one set of attributes, kept for the next resource with the
// same configuration.
type checked struct {
	attrs resource.Attrs
	uses  []use
	maybe []resource.Ref
}

// reading is the reading of one resource's attributes.
type reading struct {
	*adding
	known     map[resource.Ref]bool // names that a word is looked up in; nil while they are not known
	uses      []use
	outside   []string       // paths of values that came from outside
	explained []string       // attributes whose problem is reported
	maybe     []resource.Ref // names that would change what a word means, if the stack had them
}

// attributes reads and checks what the kind's schema knows. Resources with equal configuration
// share one result: in big stacks most have. known are the names of the stack, once they are
// known; until then maybe are the names on which the result depends.
func (a *adding) attributes(known map[resource.Ref]bool) (attrs resource.Attrs, uses []use, maybe []resource.Ref) {
	key := a.memoKey()
	if c, ok := a.memo[string(key)]; ok && known == nil {
		return c.attrs, a.withDepends(c.uses), c.maybe
	}
	var memo string
	if len(a.memo) < most {
		memo = string(key) // the scratch is used again below
	}
	r := &reading{adding: a, known: known}
	in, ok := r.read()
	checker := a.kind.checker
	if !ok {
		checker = a.kind.partial
	}
	attrs, problems := checker.Check(resource.SortAttrs(in))
	for _, p := range problems {
		r.report(p)
	}
	if !a.failed && memo != "" && known == nil {
		a.memo[memo] = &checked{attrs, r.uses, r.maybe}
	}
	return attrs, a.withDepends(r.uses), r.maybe
}

// withDepends adds what depends_on names.
func (a *adding) withDepends(uses []use) []use {
	if len(a.r.DependsOn) == 0 {
		return uses
	}
	uses = slices.Clone(uses)
	for i, name := range a.r.DependsOn {
		uses = append(uses, use{name: name, index: i})
	}
	return uses
}

// read returns the attributes that could be read; ok reports whether those are all.
func (r *reading) read() (in []resource.Attr, ok bool) {
	kids := r.r.Attrs.Kids
	in, ok = r.in[:0], true // the checker keeps none of it
	for i := 0; i+1 < len(kids); i += 2 {
		k, v := &kids[i], &kids[i+1]
		a, known := r.kind.attrs[k.Text]
		if !known {
			r.explained, ok = append(r.explained, r.unknown(k)), false
			continue
		}
		value := r.value(a.Name, a, v)
		if value == nil {
			r.explained, ok = append(r.explained, a.Name), false
			continue
		}
		in = append(in, resource.Attr{Name: a.Name, Value: value})
	}
	r.in = in
	return in, ok
}

// unknown reports an unknown attribute, and returns the one that was probably meant.
func (r *reading) unknown(k *Node) (meant string) {
	meant, ok := terraformAttribute(k.Text, r.kind.names)
	if !ok {
		meant, _ = resource.Nearest(k.Text, slices.Concat(r.kind.names, r.Keys))
	}
	suggestion := "use " + meant
	if other := otherTools(k.Text, r.Keys); other != "" {
		meant, suggestion = "", "use "+other
	} else if meant == "" {
		suggestion = "see `ovi kinds " + r.kind.Name + "`"
	}
	r.wrong(r.at(k, k.Text), "unknown attribute "+Quote(k.Text)+" for kind "+r.kind.Name, suggestion)
	return meant
}

// terraformAttribute maps an attribute's name in Terraform to the kind's own.
func terraformAttribute(name string, names []string) (string, bool) {
	for _, row := range [...][2]string{
		{"cidr_block", "cidr"},
		{"availability_zone", "zone"},
		{"instance_type", "size"},
		{"instance_class", "size"},
		{"ami", "image"},
		{"vpc_id", "vpc"},
		{"subnet_id", "subnet"},
		{"vpc_security_group_ids", "security_groups"},
		{"allocated_storage", "storage"},
		{"instance_id", "attach_to"},
		{"root_block_device", "root_volume"},
		{"http_put_response_hop_limit", "imds_hop_limit"},
		{"backup_retention_period", "backup_days"},
		{"auto_minor_version_upgrade", "minor_upgrades"},
		{"max_allocated_storage", "max_storage"},
		{"storage_throughput", "throughput"},
		{"kms_key_id", "kms_key"},
		{"object_ownership", "ownership"},
		{"snapshot_identifier", "snapshot"},
		{"preferred_backup_window", "backup_window"},
		{"preferred_maintenance_window", "maintenance_window"},
		{"db_subnet_group_name", "subnet_group"},
		{"parameter_group_name", "parameter_group"},
		{"db_name", "database"},
		{"publicly_accessible", "public"},
		{"network_interface_id", "network_interface"},
		{"private_ips", "private_ip"},
		{"iam_instance_profile", "iam_profile"},
		{"retention_in_days", "retention_days"},
		{"deletion_window_in_days", "deletion_window"},
		{"recovery_window_in_days", "recovery_window"},
		{"assign_generated_ipv6_cidr_block", "ipv6"},
		{"assign_ipv6_address_on_creation", "assign_ipv6"},
	} {
		if row[0] == name && slices.Contains(names, row[1]) {
			return row[1], true
		}
	}
	return "", false
}

// otherTools maps a key that other tools have beside a resource's attributes to the key that does
// the same, if the source has it.
func otherTools(name string, keys []string) string {
	for _, row := range [...][3]string{
		{"needs", "depends_on"},
		{"dependsOn", "depends_on"},
		{"requires", "depends_on"},
		{"lifecycle", "blessed", "blessed: true to prevent every action, replace: create-first, or ignore: [ATTRIBUTE]"},
		{"prevent_destroy", "blessed", "blessed: true, which prevents every action"},
		{"create_before_destroy", "replace", "replace: create-first"},
		{"ignore_changes", "ignore"},
		{"for_each", "count", "count, or one block for each"},
		{"labels", "tags"},
	} {
		if row[0] == name && slices.Contains(keys, row[1]) {
			return cmp.Or(row[2], row[1])
		}
	}
	return ""
}

// at is the position of a node, or of the path where its syntax has no positions.
func (a *adding) at(n *Node, path string) position.Position {
	if n.Line > 0 {
		at := position.Position{File: a.r.At.File, Line: int(n.Line), Column: int(n.Column)}
		if n.File > 0 {
			at.File = a.r.Files[n.File-1]
		}
		return at
	}
	return a.r.where(path)
}

// report reports a problem that the schema found, at its position. A value that came from
// outside is not shown.
func (r *reading) report(p resource.Problem) {
	if slices.Contains(r.explained, p.Path) {
		return
	}
	for _, o := range r.outside {
		if p.Path == o || strings.HasPrefix(o, p.Path+".") || strings.HasPrefix(o, p.Path+"[") {
			n, _ := r.r.Attrs.Locate(o)
			r.wrong(r.at(n, o), "invalid "+o+": the value of "+Quote(n.Text), rule(r.kind.schemaAt(o)))
			return
		}
	}
	n, exact := r.r.Attrs.Locate(p.Path)
	at := r.r.At
	if exact || n != &r.r.Attrs {
		at = r.at(n, p.Path)
	}
	r.wrong(at, p.Summary, cmp.Or(p.Suggestion, rule(r.kind.schemaAt(p.Path))))
}

// rule tells what an attribute can be, without any value.
func rule(a *resource.Attribute) string {
	switch {
	case a == nil:
		return "see `ovi kinds`"
	case len(a.Enum) > 0:
		return "use one of " + strings.Join(a.Enum, ", ")
	case a.Min != nil && a.Type == resource.TInt:
		return "use a number " + between(a)
	case a.Example != "":
		return forExample(cmp.Or(a.Name, "an element"), a.Example)
	case a.Pattern != "":
		return "use a value that matches " + a.Pattern
	}
	if a.Type == resource.TString {
		return "see `ovi kinds`"
	}
	return "use " + a.Type.String()
}

// memoKey is everything that the result depends on.
func (a *adding) memoKey() []byte {
	k := append(a.scratch[:0], a.r.Provider...)
	for _, s := range [...]string{a.r.Location, a.kind.Name} {
		k = append(append(k, 0), s...)
	}
	k = a.r.Attrs.AppendKey(k)
	a.scratch = k
	return k
}
