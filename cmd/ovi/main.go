// Command ovi reconciles live state with configuration: it observes, compares, shows a plan with
// its reasons, applies it, and records all of it. Run `ovi help`, or see README.md.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // a minimal container has no time zones, and windows need them

	"github.com/ovi-project/ovi/cmd/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	soft, hard, stop := cli.Interrupts(context.Background())
	code := run(soft, hard, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
