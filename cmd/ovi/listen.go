package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/metrics"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/storage"
)

// infoOf is a notice as a record for machines.
func infoOf(x notice) render.Info { return render.Info{Type: "concern", Data: x} }

// listen serves what others ask of a running loop, until the returned function is called.
// Without --listen it does nothing.
func (k *runner) listen() (func(), error) {
	address := k.cli.String("listen")
	if address == "" {
		return func() {}, nil
	}
	address, token, config, err := k.guarded(address)
	if err != nil {
		return nil, err
	}
	open := func() (net.Listener, error) {
		l, err := net.Listen("tcp", address)
		if err == nil && config != nil {
			l = tls.NewListener(l, config)
		}
		return l, err
	}
	listener, err := open()
	if err != nil {
		return nil, &problem{code: exitError, summary: "cannot listen", err: err, next: "choose another address with --listen"}
	}
	address = listener.Addr().String() // the port, where the system chose it
	server := &http.Server{
		Handler: bearer(token, k.routes()), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	k.out.say("Listening on %s.", address)
	go k.serve(server, listener, open)
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainWait)
		defer cancel()
		_ = server.Shutdown(ctx)
	}, nil
}

// serve serves until the server is shut down. A listener that fails is told of and opened anew,
// so that nobody takes a loop for dead, or for well, because it cannot be asked.
func (k *runner) serve(server *http.Server, listener net.Listener, open func() (net.Listener, error)) {
	pause := reopenFirst
	for {
		err := server.Serve(listener)
		for err != nil && !errors.Is(err, http.ErrServerClosed) {
			k.out.warn("nobody can ask for /metrics and its like: "+err.Error(), fmt.Sprintf("nothing: it is tried again in %s; the loop goes on", pause))
			select {
			case <-k.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, reopenMost)
			listener, err = open()
		}
		if err != nil {
			return
		}
	}
}

// guarded reads what must stand before an address, which it returns as it is to be listened on:
// nothing on loopback, TLS and a token elsewhere.
func (k *runner) guarded(address string) (_ string, token []byte, config *tls.Config, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", nil, nil, usage("write an address such as 127.0.0.1:9464", "--listen: %s", err)
	}
	cert, key, file := k.cli.String("tls-cert"), k.cli.String("tls-key"), k.cli.String("token-file")
	local, ok := k.loopback(host, port)
	if ok {
		address = local
	} else if cert == "" || key == "" || file == "" {
		return "", nil, nil, usage("listen on 127.0.0.1, or add --tls-cert, --tls-key and --token-file", "--listen: %s is not loopback, and would let everybody in", address)
	}
	if file != "" {
		if token, err = os.ReadFile(file); err != nil {
			return "", nil, nil, &problem{code: exitError, summary: "the token cannot be read", file: file, err: plain(err)}
		}
		if token = bytes.TrimSpace(token); len(token) < 16 {
			return "", nil, nil, &problem{code: exitError, summary: "the token is shorter than 16 bytes", file: file, next: "make one: openssl rand -hex 32"}
		}
	}
	if cert == "" && key == "" {
		return address, token, nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return "", nil, nil, &problem{code: exitError, summary: "the certificate cannot be used", file: cert, err: err}
	}
	return address, token, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// bearer lets through who sends the token; everybody if there is none.
func bearer(token []byte, next http.Handler) http.Handler {
	if len(token) == 0 {
		return next
	}
	want := sha256.Sum256(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if got := sha256.Sum256([]byte(sent)); subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (k *runner) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", k.metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", k.ready)
	mux.HandleFunc("POST /wake", func(w http.ResponseWriter, _ *http.Request) {
		k.wakes.Wake("woken")
		w.WriteHeader(http.StatusAccepted)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// ready says that the record is open and the last cycles ended well.
func (k *runner) ready(w http.ResponseWriter, _ *http.Request) {
	failing := k.loops.Ready()
	switch {
	case k.line.Load() == nil:
		http.Error(w, "the record is not open", http.StatusServiceUnavailable)
	case len(failing) > 0:
		http.Error(w, "the last cycle came to nothing: "+strings.Join(failing, ", "), http.StatusServiceUnavailable)
	default:
		_, _ = fmt.Fprintln(w, "ready")
	}
}

// scrapeWait bounds what a scrape asks the store; what is counted here comes anyway.
const scrapeWait = 3 * time.Second

func (k *runner) metrics(w http.ResponseWriter, r *http.Request) {
	families := append(k.loops.Families(), k.counters.Counts().Families()...)
	families = append(families,
		metrics.Single("ovi_interval_seconds", "Time between the beginnings of two cycles.", k.options.Interval.Seconds()),
		metrics.Family{Name: "ovi_build_info", Help: "The version of ovi.", Type: metrics.Gauge, Samples: []metrics.Sample{{Labels: metrics.Labels{"version", version}, Value: 1}}},
	)
	ctx, cancel := context.WithTimeout(r.Context(), scrapeWait)
	defer cancel()
	recorded, err := k.recorded(ctx)
	up := 1.0
	if err != nil {
		up = 0
		k.log.Warn("a scrape could not ask the record", "error", err)
	}
	families = append(append(families, recorded...), metrics.Single("ovi_store_up", "1 if the record answered this scrape.", up))
	w.Header().Set("Content-Type", metrics.ContentType)
	_ = metrics.Write(w, families)
}

// recorded is what the record says.
func (k *runner) recorded(ctx context.Context) ([]metrics.Family, error) {
	l := k.line.Load()
	if l == nil {
		return nil, errBack
	}
	scans, err := l.ledger.Scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	out := metrics.Scopes(scans, k.now())
	opens, err := l.ledger.OpenActions(ctx)
	if err != nil {
		return out, err
	}
	claims, err := l.claims.List(ctx)
	if err != nil {
		return out, err
	}
	mine := 0
	for _, c := range claims {
		if c.Run == l.ledger.Run() {
			mine++
		}
	}
	out = append(out,
		metrics.Single("ovi_open_actions", "Actions of all instances that began and have no end on record.", float64(len(opens))),
		metrics.Single("ovi_claims", "Claims that stand, of all instances.", float64(len(claims))),
		metrics.Single("ovi_claims_held", "Claims that this process holds.", float64(mine)),
		metrics.Single("ovi_log_last_record", "Sequence of the last record of this instance's log.", float64(l.ledger.Log().Frontier().Seq)),
	)
	stats, err := k.store.ask(ctx, l.ledger.Store(), k.now())
	if err != nil {
		return out, err
	}
	return append(out, metrics.Store(stats)...), nil
}

// storeFigures asks a store how it stands, at most once a minute: counting keys reads them.
type storeFigures struct {
	mu   sync.Mutex
	at   time.Time
	last storage.Stats
}

func (f *storeFigures) ask(ctx context.Context, s interface {
	Stats(context.Context) (storage.Stats, error)
}, now time.Time) (storage.Stats, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.at) < time.Minute {
		return f.last, nil
	}
	stats, err := s.Stats(ctx)
	if err == nil {
		f.at, f.last = now, stats
	}
	return stats, err
}
