package edge

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// alarmFor is how long an alarm is one.
const alarmFor = 24 * time.Hour

// alarm keeps an alarm about a node, or a site, with the events, and tells an operator.
func (p *Provider) alarm(name, text string) {
	at := p.opts.Clock().UTC()
	if p.opts.Outbox != nil {
		err := RecordAlarm(p.opts.Outbox, name, text, at)
		if err == nil && p.alone {
			err = p.opts.Outbox.Forget()
		}
		if err != nil {
			text += " (it could not be kept: " + err.Error() + ")"
		}
	}
	p.opts.Alarm(provider.Alarm{Scope: scopeOf(name), At: at, Text: text})
}

func scopeOf(name string) resource.Scope { return resource.Scope{Provider: Name, Location: name} }

// RecordAlarm keeps an alarm about a node, SITE/NODE, or a site with the events.
func RecordAlarm(b *outbox.Outbox, name, text string, at time.Time) error {
	site, node, _ := strings.Cut(name, "/")
	return b.Add(link.Event{Site: site, Node: node, At: at, Class: link.ClassAlarm, Message: text})
}

// alarmed gives the alarms of the last day again, after a restart.
func (p *Provider) alarmed() error {
	events, err := outbox.Read(EventsFile(p.opts.Dir))
	for _, e := range events {
		if e.Class == link.ClassAlarm && p.opts.Clock().Sub(e.At) < alarmFor {
			p.opts.Alarm(provider.Alarm{Scope: scopeOf(join(e.Site, e.Node)), At: e.At, Text: e.Message})
		}
	}
	return err
}
