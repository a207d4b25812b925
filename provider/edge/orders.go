package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// ordersFile is where a central orchestrator keeps its orders for a site, in the folder of its identity.
func ordersFile(folder, site string) string { return filepath.Join(folder, "orders", site) }

// OrdersFor are the orders of a central orchestrator for a site; zero: there are none.
func OrdersFor(folder, site string) (o provider.Orders, err error) {
	if !segment(site) {
		return o, fmt.Errorf("%q is not the name of a site", site)
	}
	b, err := budget.ReadFile(ordersFile(folder, site), budget.Answer)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil {
		return provider.Orders{}, fmt.Errorf("read the orders for site %s: %w", site, err)
	}
	return o, nil
}

// AllOrders are the numbers of the newest orders of a central orchestrator, by site.
func AllOrders(folder string) (map[string]uint64, error) {
	files, err := os.ReadDir(filepath.Join(folder, "orders"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := map[string]uint64{}
	for _, f := range files {
		if !segment(f.Name()) {
			continue // one that is being written
		}
		o, err := OrdersFor(folder, f.Name())
		if err != nil {
			return nil, err
		}
		out[f.Name()] = o.Number
	}
	return out, nil
}

// Order changes the orders of a central orchestrator for a site, which gets them when it is connected. Their number
// is the time in seconds or more, so that it also grows after the folder was restored from a backup.
func Order(folder, site string, now time.Time, change func(*provider.Orders)) (provider.Orders, error) {
	o, err := OrdersFor(folder, site)
	if err != nil {
		return o, err
	}
	change(&o)
	o.Number = max(o.Number+1, uint64(now.Unix())) //nolint:gosec // a time after 1970
	b, err := json.Marshal(o)
	if err == nil {
		err = os.MkdirAll(filepath.Join(folder, "orders"), 0o700)
	}
	if err == nil {
		err = identity.Write(ordersFile(folder, site), b)
	}
	if err != nil {
		return o, fmt.Errorf("keep the orders for site %s: %w", site, err)
	}
	return o, nil
}

var _ provider.SiteReporter = (*Provider)(nil)

// ReportSite implements provider.SiteReporter: what is new becomes events, which the central orchestrator gets, and
// nodes
// get the order of their deployments.
func (p *Provider) ReportSite(site string, s provider.SiteStatus) error {
	return errors.Join(p.follow(s.Configured, s.Names), p.reportSite(site, s))
}

func (p *Provider) reportSite(site string, s provider.SiteStatus) error {
	events := p.opts.Outbox
	if events == nil {
		return nil
	}
	var news []link.Event
	at := p.opts.Clock().UTC()
	for _, r := range s.Rollouts {
		wave := link.Wave{Version: r.Version, Reach: r.Reach, Of: r.Of}
		if was := events.Last(site, "", r.Name); was.Wave == nil || *was.Wave != wave || was.Message != r.Text {
			news = append(news, link.Event{
				Site: site, At: at, Deployment: r.Name, Class: link.ClassRollout, Message: r.Text,
				Wave: &wave,
			})
		}
	}
	if was := events.Last(site, "", ""); was.Order < s.Order || was.Message != orderText(s.Orders) {
		news = append(news, link.Event{
			Site: site, At: at, Class: link.ClassOrder, Message: orderText(s.Orders),
			Order: max(s.Order, was.Order),
		})
	}
	if len(news) == 0 {
		return nil
	}
	err := events.Add(news...)
	if err == nil && p.alone {
		err = events.Forget()
	}
	return err
}

// orderText is all that keeps the configurations of a site from starting.
func orderText(orders []string) string { return strings.Join(orders, "; ") }

// OrderWords implements provider.Ordered.
func (*Provider) OrderWords() provider.OrderWords {
	return provider.OrderWords{
		By:       "the central orchestrator",
		Unfreeze: "run `ovi edge unfreeze %s` on its host",
		Unlock:   "run `ovi edge unlock %s`",
	}
}
