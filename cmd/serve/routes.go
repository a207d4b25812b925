package serve

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/storage"
)

// Loop is a running loop, as far as it can be asked and woken.
type Loop struct {
	Wake    func(why string)
	Failing func() []string         // the stacks whose last cycle failed
	Stuck   func() []string         // the loops that make no progress
	Flights func() (int, time.Time) // the actions of this process that run, and the start of the oldest
	Counted func() []metrics.Family // what this process counts
	Record  func() (Record, bool)   // false while the data directory is not open
	Closed  func() string           // the error that closed it or keeps it closed; "" if there is none
	Now     func() time.Time
	Log     hclog.Logger

	figures storeFigures
}

// Record is an open data directory.
type Record struct {
	Ledger *ledger.Ledger
	Claims *coordinator.Claims
}

// Routes are /metrics, /healthz, /readyz and /wake.
func (l *Loop) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", l.metrics)
	mux.HandleFunc("GET /healthz", l.healthy)
	mux.HandleFunc("GET /readyz", l.ready)
	mux.HandleFunc("POST /wake", func(w http.ResponseWriter, _ *http.Request) {
		l.Wake("woken")
		w.WriteHeader(http.StatusAccepted)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// healthy answers 503 if a loop makes no progress. An action that takes long is no reason: the answer names it.
func (l *Loop) healthy(w http.ResponseWriter, _ *http.Request) {
	if stuck := l.Stuck(); len(stuck) > 0 {
		http.Error(w, "no progress: "+strings.Join(stuck, "; "), http.StatusServiceUnavailable)
		return
	}
	text := "ok"
	if n, oldest := l.Flights(); n > 0 {
		text = fmt.Sprintf("ok: %s in flight, the oldest for %s", render.Many(n, "action"), phrase.Age(l.Now().Sub(oldest)))
	}
	_, _ = fmt.Fprintln(w, text)
}

// ready answers 200 if the data directory is open and the last cycles ended well.
func (l *Loop) ready(w http.ResponseWriter, _ *http.Request) {
	failing := l.Failing()
	switch _, open := l.Record(); {
	case !open:
		text := "the data directory is not open"
		if why := l.Closed(); why != "" {
			text += ": " + why
		}
		http.Error(w, text, http.StatusServiceUnavailable)
	case len(failing) > 0:
		http.Error(w, "the last cycle failed: "+strings.Join(failing, ", "), http.StatusServiceUnavailable)
	default:
		_, _ = fmt.Fprintln(w, "ready")
	}
}

// scrapeWait bounds what a scrape asks the store; what is counted here is served anyway.
const scrapeWait = 3 * time.Second

func (l *Loop) metrics(w http.ResponseWriter, r *http.Request) {
	families := l.Counted()
	ctx, cancel := context.WithTimeout(r.Context(), scrapeWait)
	defer cancel()
	up := 0.0
	if record, open := l.Record(); open {
		recorded, err := l.recorded(ctx, record)
		families = append(families, recorded...)
		if err == nil {
			up = 1
		} else {
			l.Log.Warn("cannot read the store for a scrape", "error", err)
		}
	}
	families = append(families, metrics.Single("ovi_store_up", "1 if the store answered this scrape.", up))
	w.Header().Set("Content-Type", metrics.ContentType)
	_ = metrics.Write(w, families)
}

// recorded is what the store and the audit log contain.
func (l *Loop) recorded(ctx context.Context, r Record) ([]metrics.Family, error) {
	scans, err := r.Ledger.Scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	out := metrics.Scopes(scans, l.Now())
	opens, err := r.Ledger.OpenActions(ctx)
	if err != nil {
		return out, err
	}
	claims, err := r.Claims.List(ctx)
	if err != nil {
		return out, err
	}
	mine := 0
	for _, c := range claims {
		if c.Run == r.Ledger.Run() {
			mine++
		}
	}
	out = append(out,
		metrics.Single("ovi_open_actions", "Actions of all instances whose result is not recorded.", float64(len(opens))),
		metrics.Single("ovi_claims", "Claims of all instances.", float64(len(claims))),
		metrics.Single("ovi_claims_held", "Claims of this process.", float64(mine)),
		metrics.Single("ovi_log_last_record", "Sequence of the last record in this instance's audit log.",
			float64(r.Ledger.Log().Frontier().Seq)),
	)
	stats, err := l.figures.ask(ctx, r.Ledger.Store(), l.Now())
	if err != nil {
		return out, err
	}
	return append(out, metrics.Store(stats)...), nil
}

// storeFigures asks a store for its size at most once a minute: counting keys reads them.
type storeFigures struct {
	mu   sync.Mutex
	at   time.Time
	last storage.Stats
}

func (f *storeFigures) ask(ctx context.Context, s ledger.StoreReads, now time.Time) (storage.Stats, error) {
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
