package server

import (
	"net"
	"net/netip"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/tablewright/tablewright/limits"
)

// rates bounds how often clients of one address may do something. Of the addresses that came longest ago
// nothing is remembered.
type rates struct {
	known *lru.Cache[netip.Addr, *rate.Limiter]
	limit rate.Limit
	burst int
}

func newRates(perSecond, burst int) *rates {
	known, err := lru.New[netip.Addr, *rate.Limiter](limits.AddressesMax)
	if err != nil {
		panic(err) // of a size that is not positive only
	}
	return &rates{known: known, limit: rate.Limit(perSecond), burst: burst}
}

// allow tells whether a client of the address may go on now.
func (r *rates) allow(addr net.Addr) bool {
	key := addressOf(addr)
	if key.Is6() {
		// Whoever has one IPv6 address has the whole network of it.
		if network, err := key.WithZone("").Prefix(64); err == nil {
			key = network.Addr()
		}
	}
	limiter, ok := r.known.Get(key)
	if !ok {
		limiter = rate.NewLimiter(r.limit, r.burst)
		if former, found, _ := r.known.PeekOrAdd(key, limiter); found {
			limiter = former
		}
	}
	return limiter.Allow()
}
