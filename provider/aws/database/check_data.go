package database

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// storageLimits are what RDS gives on a type of storage, in GiB (CreateDBInstanceInput,
// AllocatedStorage, for MariaDB, MySQL and PostgreSQL).
func storageLimits(storage string) (least, most int64) {
	switch storage {
	case "standard":
		return 5, 3072
	case "io1", "io2":
		return 100, 65536
	}
	return 20, 65536
}

// judgeDB checks rules across the attributes of one database. RDS has no dry run, and a creation
// takes minutes before some of these refusals appear, so they are checked with the configuration.
func judgeDB(a resource.Attrs) (out []resource.Problem) {
	wrong := func(path, suggestion, format string, args ...any) {
		out = append(out, resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
	}
	engine, said := api.Text(a, "engine")
	if !said {
		engine = "postgres"
	}
	// CreateDBInstance: "The AvailabilityZone parameter can't be specified if the DB instance is a
	// Multi-AZ deployment."
	if _, zone := a.Get("zone"); zone {
		if multi, _ := api.Flag(a, "multi_az"); multi {
			wrong("zone", "omit zone or multi_az", "with multi_az, AWS chooses the zones")
		}
	}
	if on, set := api.Flag(a, "encrypted"); set && !on {
		if _, key := a.Get(api.KMSKeyAttr); key {
			wrong(api.KMSKeyAttr, "omit it, or set encrypted: true", "kms_key requires encrypted: true")
		}
	}
	if api.IsSet(a, snapshotAttr) && api.IsSet(a, "database") {
		wrong("database", "omit database", "a restored database has the databases of its snapshot")
	}
	// The engines allow so many characters in the first user ("Naming constraints in Amazon RDS"), the password and the
	// database (CreateDBInstanceInput).
	user, password, database := 16, 41, 64
	if engine == "postgres" {
		user, password, database = 63, 128, 63
	}
	name, _ := api.Text(a, "username")
	switch {
	case name == "rdsadmin", name == "admin" && engine == "postgres":
		wrong("username", "dbadmin", "%q is reserved by RDS", name)
	case len(name) > user:
		wrong("username", fmt.Sprintf("at most %d characters", user), "the name of the master user has %d characters",
			len(name))
	}
	if s, _ := api.Text(a, "database"); len(s) > database {
		wrong("database", fmt.Sprintf("at most %d characters", database), "the name of the database has %d characters",
			len(s))
	}
	// A password whose value is not known here has no length and passes.
	if v, _ := a.Get("password"); len(api.Revealed(v)) > password {
		wrong("password", fmt.Sprintf("at most %d characters for %s", password, engine), "the password is too long for %s",
			engine)
	}
	return append(out, judgeStorage(a)...)
}

// passwordText: "any printable ASCII character except "/", """, or "@"" (MasterUserPassword).
// The message does not show the password.
func passwordText(v resource.Value) []resource.Problem {
	for _, r := range api.Revealed(v) {
		if r < ' ' || r > '~' || strings.ContainsRune(`/"@`, r) {
			return api.WrongValue(`use printable ASCII without / " and @`,
				"the password has a character that RDS does not accept")
		}
	}
	return nil
}

// dbNames: "Can't end with a hyphen or contain two consecutive hyphens" (DBInstanceIdentifier).
func dbNames(c *api.Checking) {
	for _, d := range c.Configured {
		if name, at := api.NamedAt(d); strings.Contains(name, "--") {
			c.Alone(d, at, strings.ReplaceAll(name, "--", "-"), "%q has two hyphens in a row", name)
		}
	}
}
