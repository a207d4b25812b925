package main

import (
	"regexp"
	"time"

	"github.com/urfave/cli/v2"
)

// maxActions is what the file's options allow as well.
const maxActions = 1000

// withinLimits refuses values of options that say nothing sensible, before anything is begun.
func withinLimits(cc *cli.Context) error {
	if n := cc.Int("parallelism"); cc.IsSet("parallelism") && (n < 1 || n > maxActions) {
		return usage("write a number from 1 to 1000", "--parallelism can't be %d", n)
	}
	for _, l := range []struct {
		name        string
		least, most time.Duration
		next        string
	}{
		{"claim-ttl", time.Second, 24 * time.Hour, "write a duration between 1s and 24h, such as 90s or 5m"},
		{"max-age", 0, 0, "write a duration such as 90s or 5m"},
		{"lock-timeout", 0, 0, "write a duration such as 90s or 5m; 0 does not wait"},
		{"patience", 0, 0, "write a duration such as 30s"},
	} {
		d := cc.Duration(l.name)
		if cc.IsSet(l.name) && (d < l.least || l.most > 0 && d > l.most) {
			return usage(l.next, "--%s can't be %s", l.name, d)
		}
	}
	return nil
}

var unreadable = regexp.MustCompile(`^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([a-z-]+): `)

// badOption says what the parser of options stumbled over in ovi's words.
func badOption(c *cli.Command, err error) error {
	m := unreadable.FindStringSubmatch(err.Error())
	if m == nil {
		return usage("see `ovi "+c.Name+" --help`", "%s", err)
	}
	next := "write true or false, or nothing behind it"
	for _, f := range c.Flags {
		if f.Names()[0] != m[2] {
			continue
		}
		switch f.(type) {
		case *cli.IntFlag:
			next = "write a whole number, such as 3"
		case *cli.DurationFlag:
			next = "write a duration, such as 90s or 5m"
		}
	}
	return usage(next, "--%s can't be %s", m[2], m[1])
}
