package firewall

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// canonicalGroup brings every rule to the one form that Observe gives as well: port where both ends
// of the range are the same, no ports for "all", no empty description. Without one form each plan
// would show a rule as removed and added again.
func canonicalGroup(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if apart, _ := api.Flag(a, network.SeparateRules); apart {
		return withoutRules(a)
	}
	var problems []resource.Problem
	for _, name := range []string{"ingress", "egress"} {
		v, ok := a.Get(name)
		list, isList := v.(resource.List)
		if !ok || !isList {
			continue
		}
		out := make(resource.List, 0, len(list))
		for _, item := range list {
			if rule, isRule := item.(resource.Attrs); isRule {
				canon, _ := canonicalRule(rule) // validRule reports the problems
				out = append(out, canon)
			}
		}
		out = sortedRules(out)
		// Rules that differ only in their description are one rule to AWS. EC2 would refuse the second with
		// InvalidPermission.Duplicate after the first was created.
		seen := map[string]bool{}
		for _, r := range out {
			key := string(resource.AppendJSON(nil, undescribed(r)))
			if seen[key] {
				problems = append(problems, resource.Problem{
					Path: name, Summary: "two rules differ only in their description: " + key,
					Suggestion: "keep one of them",
				})
			}
			seen[key] = true
		}
		a = a.With(name, out)
	}
	return a, problems
}

// withoutRules is a group whose rules are resources of their own: what it is created with stays until they change it.
// A side that equals its default is accepted, because ovi adds the default to a configuration that
// omits the side.
func withoutRules(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var problems []resource.Problem
	for name, usual := range map[string]resource.List{"ingress": {}, "egress": {network.Everywhere()}} {
		if v, set := a.Get(name); set && !api.Equal(v, usual) {
			problems = append(problems, resource.Problem{
				Path:       name,
				Summary:    "a group with separate_rules has no " + name + " of its own",
				Suggestion: "write a security_group_rule for each",
			})
		}
		a = a.Without(name)
	}
	return a, problems
}

// sortedRules sorts by canonical bytes and removes duplicates: it is a set.
// The order of the argument changes, so the caller must own the list.
func sortedRules(l resource.List) resource.List {
	bytesOf := func(v resource.Value) string { return string(resource.AppendJSON(nil, v)) }
	slices.SortFunc(l, func(a, b resource.Value) int { return strings.Compare(bytesOf(a), bytesOf(b)) })
	return slices.CompactFunc(l, func(a, b resource.Value) bool { return bytesOf(a) == bytesOf(b) })
}

// validRule checks one configured rule.
// The schema calls it for each rule. canonicalGroup discards the problems of its rules, so each
// problem is reported once.
func validRule(v resource.Value) []resource.Problem {
	r, _ := v.(resource.Attrs)
	_, problems := canonicalRule(r)
	return problems
}

// canonicalRule returns a rule in its canonical form and the problems of the rule.
func canonicalRule(r resource.Attrs) (resource.Attrs, []resource.Problem) {
	out, problems := canonicalPorts(r)
	sides := 0
	// Amazon EC2 API Reference, IpRange: "if you specify 100.68.0.18/18 for the CIDR block, Amazon
	// Web Services canonicalizes the CIDR block to 100.68.0.0/18". A block is masked here in the
	// same way.
	if s, ok := api.Text(r, "cidr"); ok {
		sides++
		p, err := netip.ParsePrefix(s)
		if err != nil {
			problems = append(problems, resource.Problem{
				Path: "cidr", Summary: fmt.Sprintf("%q is not a block of addresses", s),
				Suggestion: "0.0.0.0/0",
			})
		} else {
			s = p.Masked().String()
		}
		out = append(out, resource.Attr{Name: "cidr", Value: resource.String(s)})
	} else if v, late := lateIn(r, "cidr"); late {
		sides++
		out = append(out, resource.Attr{Name: "cidr", Value: v})
	}
	for _, name := range []string{"security_group", "prefix_list"} {
		if v, ok := r.Get(name); ok {
			sides++
			out = append(out, resource.Attr{Name: name, Value: v})
		}
	}
	if v, set := r.Get(network.PeerAccount); set {
		out = append(out, resource.Attr{Name: network.PeerAccount, Value: v})
		peer, named := r.Get("security_group")
		// A reference names a configured group, so an account can only belong to an ID.
		if _, own := peer.(resource.Reference); own || !named {
			problems = append(problems, resource.Problem{
				Path: network.PeerAccount, Summary: "account is set, but security_group does not name a group in " +
					"that account",
				Suggestion: "set security_group to its ID, or omit account",
			})
		}
	}
	// self: false names no peer, and the canonical form omits it.
	if self, _ := api.Flag(r, "self"); self {
		sides++
		out = append(out, resource.Attr{Name: "self", Value: resource.Bool(true)})
	} else if v, late := lateIn(r, "self"); late {
		sides++
		out = append(out, resource.Attr{Name: "self", Value: v})
	}
	if v, set := r.Get("description"); set && v != resource.String("") {
		out = append(out, resource.Attr{Name: "description", Value: v})
	}
	// AuthorizeSecurityGroupIngress: "You must specify exactly one of the following sources: an
	// IPv4 or IPv6 address range, a prefix list, or a security group."
	if sides != 1 {
		problems = append(problems, resource.Problem{
			Summary:    fmt.Sprintf("a rule needs exactly one peer, this one has %d", sides),
			Suggestion: "set one of cidr, security_group, self and prefix_list",
		})
	}
	return resource.NewAttrs(out...), problems
}

// canonicalPorts returns the protocol and the ports of a rule in their canonical form. If one of them is known after
// apply, none is changed.
func canonicalPorts(r resource.Attrs) (out []resource.Attr, problems []resource.Problem) {
	written, late := []resource.Attr(nil), false
	for _, name := range []string{"protocol", "port", "from_port", "to_port"} {
		if v, set := r.Get(name); set {
			_, is := lateIn(r, name)
			written, late = append(written, resource.Attr{Name: name, Value: v}), late || is
		}
	}
	if late {
		if _, set := r.Get("protocol"); !set {
			written = append(written, resource.Attr{Name: "protocol", Value: resource.String("tcp")})
		}
		return written, nil
	}
	protocol, problems := canonicalProtocol(r)
	from, to, more := rulePorts(r, protocol)
	return rulePortAttrs(protocol, from, to), append(problems, more...)
}

// lateIn returns the value of an attribute that is known after apply.
func lateIn(r resource.Attrs, name string) (v resource.Value, late bool) {
	v, _ = r.Get(name)
	switch v.(type) {
	case resource.Reference, resource.Text:
		return v, true
	}
	return nil, false
}

// canonicalProtocol returns the name of the configured protocol, or tcp if it is not configured.
func canonicalProtocol(r resource.Attrs) (string, []resource.Problem) {
	p, ok := api.Text(r, "protocol")
	if !ok {
		return "tcp", nil
	}
	if n, err := strconv.Atoi(p); err == nil && n > 255 { // one byte of the IP header
		return p, []resource.Problem{{
			Path: "protocol", Summary: "invalid protocol " + p,
			Suggestion: "tcp, udp, icmp, icmpv6, all, or a number from 0 to 255",
		}}
	}
	return protocolName(p), nil
}

// protocolName returns the one name of a protocol, whichever way it was written.
// EC2 has names for tcp, udp, icmp and icmpv6, and numbers for all other protocols (Amazon EC2 API
// Reference, IpPermission). -1 means all protocols.
func protocolName(p string) string {
	switch strings.ToLower(p) {
	case "-1", "all":
		return "all"
	case "6", "tcp":
		return "tcp"
	case "17", "udp":
		return "udp"
	case "1", "icmp":
		return "icmp"
	case "58", "icmpv6":
		return "icmpv6"
	}
	return p
}

// rulePorts reads the port range of a rule; -1 to -1 if it sets none. For ICMP the range holds type
// and code, as in EC2 (Amazon EC2 API Reference, IpPermission).
func rulePorts(r resource.Attrs, protocol string) (from, to int64, problems []resource.Problem) {
	port, one := api.Number(r, "port")
	from, hasFrom := api.Number(r, "from_port")
	to, hasTo := api.Number(r, "to_port")
	bad := func(path, summary, suggestion string) (int64, int64, []resource.Problem) {
		return -1, -1, []resource.Problem{{Path: path, Summary: summary, Suggestion: suggestion}}
	}
	switch {
	case one && (hasFrom || hasTo):
		return bad("port", "a rule sets either port or a range", "use from_port and to_port")
	case hasFrom != hasTo:
		return bad("from_port", "a range needs both from_port and to_port", "for a single port, use port")
	case one:
		from, to = port, port
	case !hasFrom:
		from, to = -1, -1
	}
	ported := protocol == "tcp" || protocol == "udp"
	switch {
	// IpPermission: "For tcp, udp, and icmp, you must specify a port range."
	case ported && from < 0:
		return bad("port", "a rule for "+protocol+" needs a port or a range",
			"for all ports, use from_port: 0 and to_port: 65535")
	case ported && to < from:
		return bad("to_port", "to_port is below from_port", "set from_port to the lower one")
	// EC2 would accept such ports and ignore them. IpPermission: another protocol number "allows
	// traffic on all ports, regardless of any port range you specify".
	case !ported && protocol != "icmp" && protocol != "icmpv6" && from != -1:
		return bad("port", "protocol "+protocol+" has no ports", "omit the ports")
	case !ported && (from > 255 || to > 255): // one byte each of the ICMP header
		return bad("from_port", "types and codes of "+protocol+" go up to 255",
			"for echo requests, use from_port: 8 and to_port: -1")
	case !ported && from == -1 && to != -1: // the type IpPermission, ToPort
		return bad("to_port", "all types of "+protocol+" have all codes", "use to_port: -1, or set the type in from_port")
	}
	return from, to, nil
}

// rulePortAttrs returns protocol and ports of a rule in their canonical form, for configured and
// observed rules alike.
func rulePortAttrs(protocol string, from, to int64) []resource.Attr {
	out := []resource.Attr{{Name: "protocol", Value: resource.String(protocol)}}
	icmp := protocol == "icmp" || protocol == "icmpv6"
	switch {
	// -1 stands for all ports, or for all types and codes.
	case from == -1 && to == -1:
		return out
	// The two numbers of ICMP are a type and a code, so equal numbers are not one port.
	case from == to && !icmp:
		return append(out, resource.Attr{Name: "port", Value: resource.Int(from)})
	}
	return append(out, resource.Attr{Name: "from_port", Value: resource.Int(from)},
		resource.Attr{Name: "to_port", Value: resource.Int(to)})
}

// undescribed returns a rule by which EC2 recognizes it: neither its description nor the account of
// its peer distinguishes two rules.
func undescribed(v resource.Value) resource.Value {
	a, _ := v.(resource.Attrs)
	return a.Without("description").Without(network.PeerAccount)
}
