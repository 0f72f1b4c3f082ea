package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Registry holds the opener of each type of catalog. It is built once, in cmd.
type Registry map[string]Opener

// Opener returns the opener of a type of catalog; an unknown type is 42704, as for a foreign-data wrapper.
func (r Registry) Opener(typ string) (Opener, error) {
	o, ok := r[typ]
	if !ok {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "catalog type %q is not available", typ)
	}
	return o, nil
}

// Pool keeps one open provisioner a catalog and generation; an older generation's is closed when the
// last user has given it back.
type Pool struct {
	registry Registry
	secrets  SecretResolver

	mu   sync.Mutex
	open map[string]*pooled
}

type pooled struct {
	version string
	users   int
	retired bool
	prov    Provisioner
}

// version tells the states of a catalog apart. The generation is not enough: one that a transaction gave it
// and took back with a ROLLBACK comes again, with other options.
func version(c catalog.Catalog) string {
	var b strings.Builder
	fmt.Fprint(&b, c.Generation)
	for _, o := range c.Options {
		fmt.Fprintf(&b, "\x00%s\x00%s\x00%s", o.Name, o.Value, o.Reference)
		if o.SecretRef != nil {
			fmt.Fprintf(&b, "\x00%s\x00%s", o.SecretRef.Name, o.SecretRef.Key)
		}
	}
	return b.String()
}

// NewPool returns an empty pool.
func NewPool(registry Registry, secrets SecretResolver) *Pool {
	return &Pool{registry: registry, secrets: secrets, open: map[string]*pooled{}}
}

// Registry is what the pool opens catalogs with.
func (p *Pool) Registry() Registry { return p.registry }

// Get returns the provisioner of a catalog, opening its system when needed, and a function that gives it
// back.
func (p *Pool) Get(ctx context.Context, c catalog.Catalog) (Provisioner, func(), error) {
	if prov, done := p.take(c); prov != nil {
		return prov, done, nil
	}
	opener, err := p.registry.Opener(c.Type)
	if err != nil {
		return nil, nil, err
	}
	prov, err := opener.Open(ctx, c, p.secrets)
	if err != nil {
		return nil, nil, err
	}
	got, done := p.put(c, prov)
	return got, done, nil
}

// poolKey tells catalogs apart, one from another of the same name that was dropped before included.
func poolKey(c catalog.Catalog) string { return fmt.Sprintf("%s\x00%s\x00%d", c.Type, c.Name, c.OID) }

// Probe opens the system of a catalog that is not registered yet, and closes it again.
func (p *Pool) Probe(ctx context.Context, c catalog.Catalog) error {
	opener, err := p.registry.Opener(c.Type)
	if err != nil {
		return err
	}
	prov, err := opener.Open(ctx, c, p.secrets)
	if err != nil {
		return err
	}
	return prov.Close()
}

func (p *Pool) take(c catalog.Catalog) (Provisioner, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.open[poolKey(c)]
	if !ok || e.version != version(c) {
		return nil, nil
	}
	e.users++
	return e.prov, func() { p.release(e) }
}

// put stores a provisioner that was opened just now. Another one may have been opened meanwhile; then
// that one is used and this one closed.
func (p *Pool) put(c catalog.Catalog, prov Provisioner) (Provisioner, func()) {
	p.mu.Lock()
	e, ok := p.open[poolKey(c)]
	if ok && e.version == version(c) {
		e.users++
		p.mu.Unlock()
		_ = prov.Close() // never used, nothing of it can be lost
		return e.prov, func() { p.release(e) }
	}
	fresh := &pooled{version: version(c), users: 1, prov: prov}
	p.open[poolKey(c)] = fresh
	var stale Provisioner
	if ok {
		e.retired = true
		if e.users == 0 {
			stale = e.prov
		}
	}
	p.mu.Unlock()
	if stale != nil {
		_ = stale.Close() // nobody uses it any more
	}
	return prov, func() { p.release(fresh) }
}

func (p *Pool) release(e *pooled) {
	p.mu.Lock()
	e.users--
	closeNow := e.retired && e.users == 0
	p.mu.Unlock()
	if closeNow {
		_ = e.prov.Close() // nobody uses it any more
	}
}

// Forget closes what is kept of a catalog, once it is not used.
func (p *Pool) Forget(c catalog.Catalog) {
	p.mu.Lock()
	e, ok := p.open[poolKey(c)]
	if !ok {
		p.mu.Unlock()
		return
	}
	delete(p.open, poolKey(c))
	e.retired = true
	closeNow := e.users == 0
	p.mu.Unlock()
	if closeNow {
		_ = e.prov.Close() // nobody uses it any more
	}
}

// Close closes everything; it is called when nothing is used any more.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for key, e := range p.open {
		errs = append(errs, e.prov.Close())
		delete(p.open, key)
	}
	return errors.Join(errs...)
}

// DefaultDeadline is how long one fast step may take before a job takes it over.
const DefaultDeadline = 5 * time.Second
