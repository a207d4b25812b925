package serve

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// resolveWait bounds the lookup of localhost.
const resolveWait = 5 * time.Second

// Loopback reports whether an address can be reached from this host only, and which one to listen
// on: an IP address of the host's own, or localhost where all its addresses are. Other names may
// mean another address the next time.
func Loopback(ctx context.Context, host, port string) (address string, ok bool) {
	address = net.JoinHostPort(host, port)
	if host != "localhost" {
		ip := net.ParseIP(host)
		return address, ip != nil && ip.IsLoopback()
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWait)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return address, false
	}
	ip, ok := onlyLoopback(all)
	return net.JoinHostPort(ip, port), ok
}

// onlyLoopback is the address to listen on where all are loopback: that of IPv4, if there is one.
func onlyLoopback(all []netip.Addr) (ip string, ok bool) {
	for _, a := range all {
		if a = a.Unmap(); !a.IsLoopback() {
			return "", false
		}
		if ip == "" || a.Is4() {
			ip = a.String()
		}
	}
	return ip, ip != ""
}
