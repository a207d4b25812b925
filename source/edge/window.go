package edge

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// readWindows reads when nodes start new configurations.
func (l *loader) readWindows(d *document, n *source.Node, ref string) (out []rules.Window) {
	if n.Shape != source.List || len(n.Kids) == 0 {
		l.wrong(d, n, ref, "windows is "+n.Form(),
			"use a list: [{days: [sat, sun], from: \"22:00\", to: \"04:00\", zone: Europe/Berlin}]")
		return nil
	}
	for i := range n.Kids {
		out = append(out, l.readWindow(d, &n.Kids[i], ref))
	}
	return out
}

func (l *loader) readWindow(d *document, n *source.Node, ref string) (w rules.Window) {
	for _, k := range []string{"from", "to"} {
		if n.Shape != source.Object || n.Get(k) == nil {
			l.wrong(d, n, ref, "a window needs "+k, "use {from: \"22:00\", to: \"04:00\"}")
			return w
		}
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, value := &n.Kids[i], &n.Kids[i+1]
		switch key.Text {
		case "name":
			w.Name = value.Text
		case "days":
			w.Days = l.readDays(d, value, ref)
		case "from":
			w.From = l.readClock(d, value, ref)
		case "to":
			w.To = l.readClock(d, value, ref)
		case "zone":
			zone, err := time.LoadLocation(value.Text)
			if err != nil || value.Text == "Local" {
				l.wrong(d, value, ref, "unknown time zone "+source.Quote(value.Text), "for example, UTC or Europe/Berlin")
				continue
			}
			w.Zone = zone
		default:
			l.wrong(d, key, ref, "unknown key "+source.Quote(key.Text)+" of a window",
				source.Suggest(key.Text, names(windowTable())))
		}
	}
	return w
}

func (l *loader) readDays(d *document, n *source.Node, ref string) (out []time.Weekday) {
	if n.Shape != source.List || len(n.Kids) == 0 {
		l.wrong(d, n, ref, "days is "+n.Form(), "use a list: [sat, sun]")
	}
	for i := range n.Kids {
		day := slices.Index(weekdays(), n.Kids[i].Text)
		if day < 0 {
			l.wrong(d, &n.Kids[i], ref, "unknown day "+source.Quote(n.Kids[i].Text), source.Suggest(n.Kids[i].Text, weekdays()))
			continue
		}
		out = append(out, time.Weekday(day))
	}
	return out
}

func (l *loader) readClock(d *document, n *source.Node, ref string) time.Duration {
	t, err := time.Parse("15:04", n.Text)
	if err != nil {
		l.wrong(d, n, ref, "invalid time "+source.Quote(n.Text), "use a time of the day, for example \"22:00\"")
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }
