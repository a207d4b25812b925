package cli

import (
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
)

// maxActions is the most that a file's options allow as well.
const maxActions = 1000

// CheckLimits refuses values of options that are out of range, before anything is started.
func CheckLimits(cc *cli.Context) error {
	if n := cc.Int("parallelism"); cc.IsSet("parallelism") && (n < 1 || n > maxActions) {
		return Usage("use a number from 1 to 1000", "invalid --parallelism %d", n)
	}
	for _, l := range []struct {
		name        string
		least, most time.Duration
		next        string
	}{
		{"claim-ttl", time.Second, 24 * time.Hour, "use a duration from 1s to 24h, such as 90s or 5m"},
		{"max-age", 0, 0, "use a duration such as 90s or 5m"},
		{"lock-timeout", 0, 0, "use a duration such as 90s or 5m; 0 does not wait"},
		{"patience", 0, 0, "use a duration such as 30s"},
	} {
		d := cc.Duration(l.name)
		if cc.IsSet(l.name) && (d < l.least || l.most > 0 && d > l.most) {
			return Usage(l.next, "invalid --%s %s", l.name, d)
		}
	}
	return nil
}

// checkValue refuses a value that an option cannot have.
func checkValue(f cli.Flag, name, value string) error {
	var err error
	next := ""
	switch f.(type) {
	case *cli.IntFlag:
		_, err = strconv.Atoi(value)
		next = "use a whole number, such as 3"
	case *cli.DurationFlag:
		_, err = time.ParseDuration(value)
		next = "use a duration, such as 90s or 5m"
	case *cli.BoolFlag:
		_, err = strconv.ParseBool(value)
		next = "use true or false, or no value"
	}
	if err != nil {
		return Usage(next, "invalid %s %q", dashed(name), value)
	}
	return nil
}
