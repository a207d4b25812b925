package command

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
)

// PlaceFlags are the options that name where ovi keeps what it does.
func PlaceFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{
			Name: "data-dir", Category: cli.Everywhere,
			Usage: "keep the audit log and the store in `DIR` (OVI_DATA_DIR; default: .ovi next to the source)",
		},
		&urfave.StringFlag{
			Name: "store", Category: cli.Everywhere,
			Usage: "use a store shared by hosts: `etcd://HOST:2379,HOST:2379/PREFIX` (OVI_STORE; default a file in the data " +
				"directory)",
		},
		&urfave.BoolFlag{
			Name: "sandbox", Category: cli.Everywhere,
			Usage: "use the built-in sandbox, kept in the data directory, instead of real systems",
		},
	}
}

// DataDirOf returns the data directory that --data-dir names; "" if none is named.
func DataDirOf(c *Call) string { return c.Cmd.String("data-dir") }

// storeOf returns the store that --store names; "" if none is named.
func storeOf(c *Call) string { return c.Cmd.String("store") }

// sandboxOf reports whether --sandbox is in effect.
func sandboxOf(c *Call) bool { return c.Cmd.Bool("sandbox") }
