package database

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// dbIdentifier is the form of names in AWS.
// Amazon RDS API Reference, CreateDBInstance: an identifier "is stored as a lowercase string".
// dbNames rejects two hyphens in a row.
const dbIdentifier = `[a-z]([a-z0-9-]{0,61}[a-z0-9])?`

// rdsSchema returns the schema of rds. Its Grace is longer than the wait of an action for a
// database (api.Delays), so that a plan does not report a database as failed while an action waits
// for it.
func rdsSchema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindRDS,
		Doc: "A managed database.\n\nIts name is its DB identifier, unless identifier sets another. " +
			"Defaults: PostgreSQL, 20 GiB, encrypted, not public, " +
			"seven days of backups, a password that AWS generates and stores in Secrets Manager, and a final snapshot when it " +
			"is deleted.",
		NamePattern: dbIdentifier,
		NameDoc:     "lower-case letters, digits and single hyphens, starting with a letter, at most 63 characters",
		Canonical:   canonicalRDS, CrossCheck: api.CrossChecks(api.TagTraits{RDS: true}, dbNames, api.Zones,
			network.GroupsFit("subnet_group")),
		DataLoss: loseDatabase, Undeletable: keptDatabase, State: resource.StateRunning, Advice: advise, Grace: 2 * time.Hour,
		Identifier: api.Identifier,
		Holds:      api.HoldsName("DB identifier", api.Identifier), HoldsDoc: api.HeldInRegion,
		Attrs: slices.Concat(rdsMachine(), rdsSnapshot(), rdsStorage(), rdsLocation(), rdsUpkeep(), []resource.Attribute{
			{Name: "endpoint", Type: resource.TString, Computed: true, Doc: "Its host and port."},
			{
				Name: "password_secret", Type: resource.TString, Computed: true,
				Doc: "The ARN of the secret that holds the generated password.",
			},
			api.IdentifierAttr(dbIdentifier),
		}),
	}
}

// rdsMachine are the attributes that say what the database is.
// If a snapshot is configured, engine and username have no default, because the snapshot has them.
func rdsMachine() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "size", Type: resource.TString, Required: true, Effect: resource.Restart,
			Pattern: `db\.[a-z0-9-]+\.[a-z0-9-]+`, Valid: api.ValidSize,
			Example: "db.t3.micro", Doc: "The instance class. Changing it restarts the database.",
		},
		{
			Name: "engine", Type: resource.TString, Effect: resource.Replace,
			HarmlessDefault: true, CreateDefault: resource.String("postgres"),
			DefaultUnless: snapshotAttr,
			Enum:          []string{"postgres", "mysql", "mariadb"}, Example: "postgres", Doc: "The database engine.",
		},
		{
			Name: "engine_version", Type: resource.TString, Effect: resource.Restart, Fits: engineFits,
			Pattern: `[0-9]+(\.[0-9A-Za-z-]+)*`,
			Example: "16", Doc: "A major or an exact version. A newer version is not drift: AWS applies minor " +
				"upgrades, and they cannot be undone.",
		},
		{
			Name: "multi_az", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
			Doc: "Whether there is a standby in a second availability zone.",
		},
		{
			Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: api.ZonePattern, Example: "us-east-1a",
			Doc: "The availability zone. If omitted, AWS chooses it. With multi_az it chooses both.",
		},
		{
			Name: "public", Type: resource.TBool,
			HarmlessDefault: true, Default: resource.Bool(false), Example: "false",
			Doc: "Whether it can be reached from outside its VPC.",
		},
		{
			Name: "username", Type: resource.TString, Effect: resource.Replace,
			HarmlessDefault: true, CreateDefault: resource.String("dbadmin"),
			DefaultUnless: snapshotAttr,
			Pattern:       `[A-Za-z][A-Za-z0-9_]{0,62}`, Example: "dbadmin",
			Doc: "The master user; at most 16 characters with mysql and mariadb.",
		},
		{
			Name: "password", Type: resource.TString, WriteOnly: true, AfterCreate: true, Secret: true, Min: api.Bound(8),
			Max: api.Bound(128), Valid: passwordText,
			Example: "${env:DB_PASSWORD}", Doc: "The master user's password: printable ASCII without / \" and @, at most 41 " +
				"characters with mysql and mariadb. If omitted, AWS generates it and stores it in Secrets Manager, which is safer.",
		},
	}
}

// rdsLocation are the attributes that say where it runs.
// Amazon RDS API Reference, ModifyDBInstance: "If you change the DBPortNumber value, your database
// restarts regardless of the value of the ApplyImmediately parameter." So port has the effect
// Restart.
func rdsLocation() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "database", Type: resource.TString, Effect: resource.Replace, Pattern: `[A-Za-z][A-Za-z0-9_]{0,63}`,
			Example: "app", Doc: "The name of a database to create in it.",
		},
		{
			Name: "port", Type: resource.TInt, Effect: resource.Restart, Min: api.Bound(1150), Max: api.Bound(65535),
			Example: "5432",
			Doc:     "The port it listens on. If omitted, the engine's default.",
		},
		api.GroupsAttr("The security groups that apply to it. If omitted, the VPC's default group."),
		{
			Name: "subnet_group", Type: resource.TString, Effect: resource.Replace, Max: api.Bound(255),
			RefKind: api.KindDBSubnets, AnyName: true, SystemNames: "default", Example: "data",
			Doc: "The DB subnet group it runs in. If omitted, the default one.",
		},
		{
			Name: parameterGroup, Type: resource.TString, Max: api.Bound(255),
			RefKind: KindDBParameters, AnyName: true, SystemNames: `default\..+`, Example: "data",
			Note: "its static parameters take effect at the next restart",
			Doc: "Its DB parameter group. Default: the default group of its engine. Static parameters take effect " +
				"at the next restart, which ovi does not trigger.",
		},
	}
}

// rdsUpkeep are the attributes that say how it is kept.
func rdsUpkeep() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "backup_days", Type: resource.TInt, Effect: resource.Restart, Min: api.Bound(0), Max: api.Bound(35),
			HarmlessDefault: true, CreateDefault: resource.Int(7),
			Example: "7", Doc: "How many days automatic backups are kept; 0 turns them off. Changing it to or from 0 " +
				"restarts " +
				"the database.",
		},
		{
			Name: "backup_window", Type: resource.TString, Pattern: timePattern + `-` + timePattern, Valid: windowLong,
			Example: "03:00-04:00",
			Doc:     "When automatic backups are made each day, in UTC: at least 30 minutes. If omitted, AWS chooses it.",
		},
		{
			Name: "maintenance_window", Type: resource.TString,
			Pattern: dayPattern + `:` + timePattern + `-` + dayPattern + `:` + timePattern, Valid: windowLong,
			Example: "sun:05:00-sun:06:00",
			Doc: "When AWS maintains it each week, in UTC: at least 30 minutes, apart from backup_window. If omitted, AWS " +
				"chooses it.",
		},
		{
			Name: "minor_upgrades", Type: resource.TBool, Example: "false",
			Doc: "Whether AWS upgrades it to minor versions in its maintenance window. If omitted, a new one is upgraded.",
		},
		{
			Name: "deletion_protection", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
			Doc: "Whether AWS refuses to delete it. ovi turns it off only if the configuration sets it to false.",
		},
		{
			Name: "final_snapshot", Type: resource.TBool, WriteOnly: true,
			HarmlessDefault: true, Default: resource.Bool(true), Example: "true",
			Doc: "Whether a final snapshot is taken when it is deleted. Only the configuration decides; no tag does.",
		},
	}
}

// canonicalRDS writes days as AWS does.
func canonicalRDS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, "maintenance_window"); ok {
		a = a.With("maintenance_window", resource.String(strings.ToLower(s)))
	}
	return a, append(judgeDB(a), judgeWindows(a)...)
}

// loseDatabase is what is lost with a database. Whether a final snapshot is taken is a matter of
// the configuration, never of what the database carries.
func loseDatabase(o resource.Observed, last resource.Attrs) string {
	if skipsSnapshot(last) {
		return api.Gib("database", o) + ". No final snapshot is taken."
	}
	return api.Gib("database", o) + ". A final snapshot is taken."
}

// keptDatabase: AWS refuses to delete a protected database, and to take the final snapshot of a failed one.
// Both results are empty if no reason against the deletion is known.
func keptDatabase(o resource.Observed, _, last resource.Attrs) (why, first string) {
	status, _, _ := strings.Cut(o.Message, ";")
	if on, _ := api.Flag(o.Attrs, "deletion_protection"); on {
		return "its deletion_protection is on, so AWS does not delete it",
			"set deletion_protection: false and apply that first, if it may be deleted"
	}
	if noSnapshotOf(status) && !skipsSnapshot(last) {
		return "it is " + status + ", and AWS takes no final snapshot of it", snapshotOff
	}
	return "", ""
}

// skipsSnapshot says that a database is deleted without a final snapshot. Without a recorded
// configuration the snapshot is taken: a snapshot too many can be deleted, a missing one cannot be
// recovered.
func skipsSnapshot(last resource.Attrs) bool {
	keep, set := api.Flag(last, "final_snapshot")
	return set && !keep
}

// engineFits: a configured version stands for all that begin with it, and no engine goes back to an
// older one.
func engineFits(desired, observed resource.Value) resource.Fit {
	want, _ := desired.(resource.String)
	have, _ := observed.(resource.String)
	return versionFits(string(want), string(have))
}

// rdsSnapshot returns the attribute snapshot. It is AfterCreate: if the result of a restore is not
// recorded, the attribute counts as changed, and changesOf completes the database.
func rdsSnapshot() []resource.Attribute {
	return []resource.Attribute{{
		Name: snapshotAttr, Type: resource.TString, WriteOnly: true, AfterCreate: true, Example: "orders-final-3f9a1c",
		Pattern: `[A-Za-z][A-Za-z0-9-]{0,254}|(rds|awsbackup):[A-Za-z0-9:-]+` +
			`|arn:aws[a-z-]*:rds:[a-z0-9-]+:[0-9]{12}:snapshot:.+`,
		Note: "restores a new database only; --replace restores one that exists",
		Doc: "The DB snapshot that a new database is restored from: its name, or the ARN of one that is shared. Engine, " +
			"user, databases, encryption and least " +
			"storage come from it. On a database that exists it changes nothing.",
	}}
}
