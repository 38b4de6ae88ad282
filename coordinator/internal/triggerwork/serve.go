package triggerwork

import (
	"context"
	"net"
	"net/http"
	"time"
)

// How long the sender of a webhook may take.
const (
	headerFor = 5 * time.Second
	wholeFor  = 20 * time.Second
	maxHeader = 16 << 10
)

// listenAgain is the pause after a port was taken.
const listenAgain = 15 * time.Second

// Serve serves webhooks alone on an address, until ctx ends.
func (h *Hooks) Serve(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		l, err := net.Listen("tcp", addr)
		if err == nil {
			h.log.Info("serving webhooks", "addr", l.Addr().String())
			err = h.serveOn(ctx, l, wholeFor)
		}
		if ctx.Err() != nil {
			return
		}
		h.log.Error("serve webhooks", "addr", addr, "err", err)
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// serveOn serves webhooks on a listener. A request may take as long as whole.
func (h *Hooks) serveOn(ctx context.Context, l net.Listener, whole time.Duration) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerFor,
		ReadTimeout:       whole,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	return s.Serve(l)
}
