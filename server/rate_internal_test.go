package server

import (
	"net"
	"net/netip"
	"testing"

	"github.com/tablewright/tablewright/limits"
)

func tcp(addr netip.Addr) net.Addr { return net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, 1)) }

// An address has its own measure, an IPv6 network has one for all of its addresses.
func TestRatesByAddress(t *testing.T) {
	t.Parallel()
	r := newRates(1, 2)
	for _, c := range []struct {
		addr string
		want bool
	}{
		{"192.0.2.1", true},
		{"192.0.2.1", true},
		{"192.0.2.1", false},
		{"::ffff:192.0.2.1", false},
		{"192.0.2.2", true},
		{"2001:db8::1", true},
		{"2001:db8::2", true},
		{"2001:db8::3", false},
		{"2001:db8:0:1::1", true},
	} {
		if got := r.allow(tcp(netip.MustParseAddr(c.addr))); got != c.want {
			t.Errorf("%s: %v, want %v", c.addr, got, c.want)
		}
	}
}

// However many addresses come, the memory for them is bounded.
func TestRatesRememberNoMoreThanMax(t *testing.T) {
	t.Parallel()
	r := newRates(1, 1)
	addr := netip.MustParseAddr("10.0.0.0")
	for range limits.AddressesMax + 1000 {
		r.allow(tcp(addr))
		addr = addr.Next()
	}
	if n := r.known.Len(); n != limits.AddressesMax {
		t.Errorf("%d addresses are known, want %d", n, limits.AddressesMax)
	}
}
