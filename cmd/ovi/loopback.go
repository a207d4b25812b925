package main

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// resolveWait bounds how long it may take to learn what localhost is.
const resolveWait = 5 * time.Second

// loopback says whether nobody outside this host can reach an address, and which one is meant:
// an IP address of the host's own, or localhost where it means nothing else. Other names may
// mean another address the next time.
func (c *call) loopback(host, port string) (address string, ok bool) {
	address = net.JoinHostPort(host, port)
	if host != "localhost" {
		ip := net.ParseIP(host)
		return address, ip != nil && ip.IsLoopback()
	}
	ctx, cancel := context.WithTimeout(c, resolveWait)
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
