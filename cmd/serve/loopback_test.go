package serve

import (
	"net/netip"
	"testing"
)

// TestLocalhostIsLoopbackWhereItMeansNothingElse: the name may resolve to other addresses too.
func TestLocalhostIsLoopbackWhereItMeansNothingElse(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		all  []string
		want string
	}{
		{[]string{"127.0.0.1", "::1"}, "127.0.0.1"},
		{[]string{"::1", "127.0.0.1"}, "127.0.0.1"},
		{[]string{"::ffff:127.0.0.1"}, "127.0.0.1"},
		{[]string{"::1"}, "::1"},
		{[]string{"127.0.0.1", "192.0.2.1"}, ""},
		{[]string{"192.0.2.1"}, ""},
		{[]string{"::1", "2001:db8::1"}, ""},
		{nil, ""},
	} {
		var all []netip.Addr
		for _, s := range x.all {
			all = append(all, netip.MustParseAddr(s))
		}
		if got, ok := onlyLoopback(all); got != x.want || ok != (x.want != "") {
			t.Errorf("localhost as %v: listen on %q, %t, want %q", x.all, got, ok, x.want)
		}
	}
}
