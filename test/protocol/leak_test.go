package protocol

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
)

// homeLinks opens connections of sessions to a home database.
type homeLinks struct{ *home.Home }

func (h homeLinks) Connect(ctx context.Context, id session.Identity) (*session.Link, error) {
	conn, err := h.ConnectAs(ctx, id.User, id.Database, id.Parameters)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return nil, &sqlerr.Error{Code: e.Code, Message: e.Message}
	}
	if err != nil {
		return nil, err
	}
	return &session.Link{Conn: conn.Conn, PID: conn.PID, Secret: conn.SecretKey, Parameters: conn.ParameterStatuses}, nil
}

func (h homeLinks) Cancel(ctx context.Context, link *session.Link) error {
	return h.CancelRequest(ctx, link.PID, link.Secret)
}

// sessions serves clients with the real frames, sessions and home database, in this process, where
// goroutines can be counted by what they do.
type sessions struct {
	ln     net.Listener
	shared *session.Gateway
	fresh  map[string]string
	wg     sync.WaitGroup

	mu     sync.Mutex
	faults []string
}

func (s *sessions) accept(ctx context.Context) {
	defer s.wg.Done()
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() { s.serve(ctx, c) })
	}
}

func (s *sessions) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer func() {
		if p := recover(); p != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.faults = append(s.faults, fmt.Sprint(p))
		}
	}()
	conn := wire.NewConn(c, time.Minute)
	hello, err := conn.Reader().ReadStartup()
	if err != nil {
		return
	}
	id := session.Identity{User: hello.User(), Database: hello.Database(), RemoteAddr: c.RemoteAddr().String()}
	one := session.New(id, s.shared, conn, zerolog.Nop())
	defer one.Close()
	statuses, err := one.Start(ctx, s.fresh)
	if err != nil {
		return
	}
	replies := []session.Reply{session.Ready{Status: 'I'}}
	for name, value := range statuses {
		replies = append([]session.Reply{session.ParameterStatus{Name: name, Value: value}}, replies...)
	}
	if err := errors.Join(conn.SendAuthenticationOk(), conn.SendBackendKeyData(1, 1), conn.Send(replies...), conn.Flush()); err != nil {
		return
	}
	_ = one.Run(ctx) // how it ended is its client's to see
}

// Hostile frames leave no goroutine behind, no panic and no memory.
func TestHostileFramesLeaveNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	db, err := home.Open(t.Context(), home.Options{DataDir: hometest.Dir(t), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	routes, err := session.NewRouteCache()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sessions{
		ln: ln, fresh: map[string]string{},
		shared: &session.Gateway{Home: homeLinks{db}, Names: session.NewNameCache(), Routes: routes},
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.wg.Add(1)
	go s.accept(ctx)

	memory := heap()
	newStorm(t, ln.Addr().String(), ordinaryTexts()).run(t)
	cancel()
	_ = ln.Close()
	s.wg.Wait()
	if grown := heap() - memory; grown > 16<<20 {
		t.Errorf("%d MiB are left", grown>>20)
	}
	if len(s.faults) > 0 {
		t.Errorf("%d faults, the first: %s", len(s.faults), s.faults[0])
	}
	if err := hometest.Close(db); err != nil {
		t.Error(err)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}
