package compose

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// ports reads [[IP:]HOST:]CONTAINER[/PROTOCOL], ranges of ports too, and the long form.
func (s *service) ports(n *source.Node) {
	var out []any
	for _, item := range items(n) {
		if item.Shape == source.Object {
			out = append(out, s.longPort(&item))
			continue
		}
		out = append(out, s.shortPort(&item)...)
	}
	s.m.spec.set("ports", out)
}

func (s *service) longPort(n *source.Node) object {
	o := object{}
	for k, v := range pairs(n) {
		switch k.Text {
		case "target":
			o.set("containerPort", s.number(v, v.Text))
		case "published":
			o.set("hostPort", s.number(v, v.Text))
		case "host_ip":
			o.set("hostIp", s.text(v))
		case "protocol":
			o.set("protocol", s.text(v))
		case "mode":
		default:
			s.lacks(k, "ports."+k.Text)
		}
	}
	return o
}

// shortPort reads one line of ports.
func (s *service) shortPort(n *source.Node) []any {
	rest, protocol, hasProtocol := strings.Cut(n.Text, "/")
	ip, host, container := cutPorts(rest)
	first, count, ok := portRange(container)
	hostFirst, hostCount, hostOK := portRange(host)
	switch {
	case !ok && strings.Contains(container, "$"), !hostOK && strings.Contains(host, "$"):
		o := object{{"containerPort", s.number(n, container)}}
		if host != "" {
			o.set("hostPort", s.number(n, host))
		}
		return []any{s.portOf(n, o, ip, protocol, hasProtocol)}
	case !ok, host != "" && (!hostOK || hostCount != count):
		s.problem(n, "invalid port "+source.Quote(n.Text), "use HOST:CONTAINER, for example 8080:80")
		return nil
	}
	var out []any
	for k := range count {
		o := object{{"containerPort", raw(strconv.Itoa(first + k))}}
		if host != "" {
			o.set("hostPort", raw(strconv.Itoa(hostFirst+k)))
		}
		out = append(out, s.portOf(n, o, ip, protocol, hasProtocol))
	}
	return out
}

func (s *service) portOf(n *source.Node, o object, ip, protocol string, hasProtocol bool) object {
	if ip != "" {
		o.set("hostIp", s.expand(n, strings.Trim(ip, "[]")))
	}
	if hasProtocol {
		o.set("protocol", s.expand(n, protocol))
	}
	return o
}

// cutPorts cuts at the colons that are not in a variable or an address of IPv6.
func cutPorts(s string) (ip, host, container string) {
	var parts []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ':':
			if depth == 0 {
				parts, start = append(parts, s[start:i]), i+1
			}
		}
	}
	parts = append(parts, s[start:])
	container = parts[len(parts)-1]
	if len(parts) > 1 {
		host = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		ip = strings.Join(parts[:len(parts)-2], ":")
	}
	if len(parts) == 2 && host != "" { // IP::CONTAINER has three, IP:CONTAINER is no form of Compose
		if _, err := netip.ParseAddr(host); err == nil {
			ip, host = host, ""
		}
	}
	return ip, host, container
}

// maxRange bounds a range of ports.
const maxRange = 1000

func portRange(s string) (first, count int, ok bool) {
	low, high, isRange := strings.Cut(s, "-")
	first, err := strconv.Atoi(low)
	if err != nil || first < 1 || first > 65535 {
		return 0, 0, false
	}
	if !isRange {
		return first, 1, true
	}
	last, err := strconv.Atoi(high)
	if err != nil || last < first || last > 65535 || last-first >= maxRange {
		return 0, 0, false
	}
	return first, last - first + 1, true
}
