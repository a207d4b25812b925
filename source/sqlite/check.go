package sqlite

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// problem is one error in a row.
type problem struct {
	row                 int
	column              string
	summary, suggestion string
}

// wrongRows are the first errors of the rows that are wrong.
func wrongRows(rows []row) map[int]string {
	out := map[int]string{}
	for _, p := range check(rows) {
		if out[p.row] == "" {
			out[p.row] = p.summary
		}
	}
	return out
}

// checker checks rows, and what they have together.
type checker struct {
	rows     []row
	problems []problem
	names    map[string]int
	used     map[int]place // host ports
	subnets  []subnet
}

// place is a cell.
type place struct{ row, column int }

type subnet struct {
	prefix netip.Prefix
	row    int
}

// check reports everything that is wrong with the rows. It is pure.
func check(rows []row) []problem {
	c := checker{rows: rows, names: map[string]int{}, used: map[int]place{}}
	for i := range rows {
		if rows[i].name() == Reserved {
			c.reserved(i) // first: the other clusters cannot have its ports
		}
	}
	// Of two rows that want the same, the one that was inserted later is wrong.
	byAge := make([]int, len(rows))
	for i := range byAge {
		byAge[i] = i
	}
	slices.SortStableFunc(byAge, func(a, b int) int { return cmp.Compare(rows[a].since, rows[b].since) })
	for _, i := range byAge {
		if rows[i].name() != Reserved {
			c.row(i)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b problem) int { return cmp.Compare(a.row, b.row) })
	return c.problems
}

func (c *checker) wrong(row, column int, summary, suggestion string) {
	c.problems = append(c.problems, problem{row, declared()[column], summary, suggestion})
}

// reserved notes what the management cluster uses. Its row is not ovi's to check.
func (c *checker) reserved(i int) {
	for _, column := range hostPorts() {
		if n, ok := c.rows[i].port(column); ok && n != 0 {
			c.used[n] = place{i, column}
		}
	}
	if p, err := netip.ParsePrefix(c.rows[i].text(columnSubnet)); err == nil {
		c.subnets = append(c.subnets, subnet{p, i})
	}
}

func (c *checker) row(i int) {
	r := &c.rows[i]
	c.name(i, r)
	state, known := r.text(columnDesired), false
	switch state {
	case Present, Absent:
		known = true
	default:
		c.wrong(i, columnDesired, "unknown desired_state "+r.cells[columnDesired].what(), "use present or absent")
	}
	if p := r.text(columnProvider); p != "kind" && p != "k3d" {
		c.wrong(i, columnProvider, "unknown provider "+r.cells[columnProvider].what(), "use kind or k3d")
	}
	c.ports(i, r, !known || state == Present)
	c.subnet(i, r, !known || state == Present)
}

func (c *checker) name(i int, r *row) {
	name := r.name()
	switch first, again := c.names[name]; {
	case !validName(name):
		c.wrong(i, columnName, "invalid name "+r.cells[columnName].what(),
			"use lower-case letters, digits and '-', at most 63, with a letter or digit at both ends")
	case again:
		c.wrong(i, columnName, fmt.Sprintf("duplicate name %q", name),
			fmt.Sprintf("remove row %d or this one", c.rows[first].n))
	default:
		c.names[name] = i
	}
}

// ports checks all ports, and of a cluster that is to exist that no other has those of the host.
func (c *checker) ports(i int, r *row, present bool) {
	seen := map[int]bool{}
	for _, column := range ports() {
		n, ok := r.port(column)
		if !ok {
			c.wrong(i, column, fmt.Sprintf("%s is %s", declared()[column], r.cells[column].what()),
				fmt.Sprintf("use a whole number from %d to %d", minPort, maxPort))
			continue
		}
		if n == 0 || column == columnNodePort || !present {
			continue
		}
		first, taken := c.used[n]
		if taken && !(first.row == i && seen[n]) {
			c.wrong(i, column, fmt.Sprintf("port %d of the host is used twice", n),
				fmt.Sprintf("use another one; row %s has it as %s", c.rows[first.row].label(), declared()[first.column]))
			continue
		}
		if taken {
			c.wrong(i, column, fmt.Sprintf("port %d of the host is used twice", n),
				"use another one; the row has it as "+declared()[first.column]+" too")
			continue
		}
		c.used[n], seen[n] = place{i, column}, true
	}
}

// subnet checks the subnet, and of a cluster that is to exist that it overlaps with no other.
func (c *checker) subnet(i int, r *row, present bool) {
	s := r.cells[columnSubnet]
	if s.Type == "null" || s == (cell{Type: "text"}) {
		return
	}
	p, err := netip.ParsePrefix(r.text(columnSubnet))
	switch {
	case s.Type != "text" || err != nil || !p.Addr().Is4():
		c.wrong(i, columnSubnet, "invalid subnet "+s.what(), "use a network such as 10.101.0.0/16")
		return
	case p != p.Masked():
		c.wrong(i, columnSubnet, "invalid subnet "+s.what()+": it has host bits", "use "+p.Masked().String())
		return
	case r.text(columnProvider) == "kind":
		c.wrong(i, columnSubnet, "a kind cluster has no subnet", "set it to NULL; only k3d clusters have one")
		return
	case !present:
		return
	}
	var with []string
	for _, other := range c.subnets {
		if other.prefix.Overlaps(p) {
			with = append(with, fmt.Sprintf("%s of row %s", other.prefix, c.rows[other.row].label()))
		}
	}
	if len(with) > 0 {
		c.wrong(i, columnSubnet, fmt.Sprintf("subnet %s overlaps with %s", p, strings.Join(with, " and ")), "use another one")
	}
	c.subnets = append(c.subnets, subnet{p, i})
}
