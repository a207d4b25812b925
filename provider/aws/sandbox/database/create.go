package database

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

var dbUser = wire.Late(`^[a-zA-Z][a-zA-Z0-9_]{0,62}$`)

// createDB makes a database; its name is its idempotency: a second call under
// the same name is refused (RDS API reference: CreateDBInstance).
func createDB(x *core.Exchange) (any, error) {
	id, err := newDBName(x)
	if err != nil {
		return nil, err
	}
	d := &database{Engine: x.P.Str("Engine"), User: x.P.Str("MasterUsername"), DBName: x.P.Str("DBName")}
	for _, step := range []func(*database) error{func(d *database) error {
		return readEngine(x, d)
	}, func(d *database) error {
		return readStorage(x, d)
	}, func(d *database) error {
		return readLogin(x, d)
	}, func(d *database) error { return readBackups(x, d) }, func(d *database) error { return readNetwork(x, d) }} {
		if err := step(d); err != nil {
			return nil, err
		}
	}
	if err := nameDB(x, d, id); err != nil {
		return nil, err
	}
	if x.P.Yes("ManageMasterUserPassword") {
		x.P.Str("MasterUserSecretKmsKeyId")
		d.Secret = "arn:aws:secretsmanager:" + x.Region + ":" + wire.Account + ":secret:rds!db-" +
			x.Tx.St.Hex("secret", d.Seq)[:32]
	}
	d.Life = core.Through(x.Now, x.Settle, "available", "creating")
	if d.Retention > 0 {
		d.Life = core.Through(x.Now, x.Settle, "available", "creating", "backing-up")
	}
	x.Tx.Put(d)
	return oneDB{viewDB(x, d, "creating")}, nil
}

// newDBName is the name of a database that does not exist yet.
func newDBName(x *core.Exchange) (string, error) {
	id := strings.ToLower(x.P.Str("DBInstanceIdentifier"))
	switch {
	case id == "":
		return "", wire.Missing("DBInstanceIdentifier")
	case !dbName.MatchString(id) || len(id) > 63:
		return "", wire.Failf("InvalidParameterValue",
			"The parameter DBInstanceIdentifier is not a valid identifier. Identifiers must begin with a letter; must contain "+
				"only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.")
	}
	if _, there := core.Find[*database](x.Tx, x.Region, id); there {
		return "", wire.Failf("DBInstanceAlreadyExists", "DB instance already exists")
	}
	return id, nil
}

// nameDB gives a new database its names and tags.
func nameDB(x *core.Exchange, d *database, id string) error {
	tags, err := readRDSTags(x.P)
	if err != nil {
		return err
	}
	d.Base = x.Tx.Named(id, x.Region)
	d.Tags, d.ARN = tags, rdsARN(x, "db", id)
	d.Resource = "db-" + strings.ToUpper(x.Tx.St.Hex("db"+x.Region, d.Seq)[:26])
	return nil
}

func readEngine(x *core.Exchange, d *database) error {
	class, err := dbClassOf(x)
	if err != nil {
		return err
	}
	if class == "" {
		return wire.Missing("DBInstanceClass")
	}
	if d.Engine == "" {
		return wire.Missing("Engine")
	}
	version, err := engineVersion(d.Engine, x.P.Str("EngineVersion"))
	if err != nil {
		return err
	}
	d.Settings.Class, d.Settings.Version = class, version
	d.AutoMinor = x.P.Flag("AutoMinorVersionUpgrade", true)
	d.ParamGroup = strings.ToLower(x.P.Or("DBParameterGroupName", "default."+d.Engine+major(d.Engine, version)))
	if err := parametersOf(x, d); err != nil {
		return err
	}
	d.CA = x.P.Or("CACertificateIdentifier", "rds-ca-rsa2048-g1")
	d.IAMAuth = x.P.Yes("EnableIAMDatabaseAuthentication")
	d.Insights = x.P.Yes("EnablePerformanceInsights")
	d.Logs = x.P.WrappedStrs("EnableCloudwatchLogsExports", "member")
	if d.Monitoring, err = x.P.Num("MonitoringInterval", 0); err != nil {
		return err
	}
	d.Port, err = x.P.Num("Port", portOf(d.Engine))
	if err == nil && (d.Port < 1150 || d.Port > 65535) {
		return wire.Failf("InvalidParameterValue", "The port %d is invalid: it must be from 1150 to 65535.", d.Port)
	}
	return err
}

func dbClassOf(x *core.Exchange) (string, error) {
	class := x.P.Str("DBInstanceClass")
	if class != "" && !dbClass.MatchString(class) {
		return "", wire.Failf("InvalidParameterValue", "Invalid DB Instance class: %s", class)
	}
	return class, nil
}

// readLogin checks the master user. The password is checked and not stored.
func readLogin(x *core.Exchange, d *database) error {
	password, managed := x.P.Str("MasterUserPassword"), x.P.Yes("ManageMasterUserPassword")
	switch {
	case d.User == "":
		return wire.Failf("InvalidParameterValue", "The parameter MasterUsername must be provided and must not be blank.")
	case !dbUser.MatchString(d.User):
		return wire.Failf("InvalidParameterValue", "The parameter MasterUsername is not a valid identifier.")
	case slices.Contains([]string{"rdsadmin", "rdsrepladmin"}, d.User) ||
		d.Engine == "postgres" && (d.User == "admin" || strings.HasPrefix(d.User, "pg_")):
		return wire.Failf("InvalidParameterValue",
			"MasterUsername %s cannot be used as it is a reserved word used by the engine", d.User) // style:ok (of AWS)
	case managed && password != "":
		return wire.Failf("InvalidParameterCombination",
			"You can't specify MasterUserPassword for an instance with ManageMasterUserPassword enabled.")
	case managed:
		return nil
	}
	return checkPassword(password)
}

func checkPassword(password string) error {
	switch {
	case password == "":
		return wire.Failf("InvalidParameterValue", "The parameter MasterUserPassword must be provided and must not be blank.")
	case len(password) < 8 || len(password) > 128:
		return wire.Failf("InvalidParameterValue",
			"The parameter MasterUserPassword is not a valid password because it is shorter than 8 characters or too long.")
	case strings.ContainsAny(password, "/\"@ "):
		return wire.Failf("InvalidParameterValue",
			"The parameter MasterUserPassword is not a valid password. Only printable ASCII characters besides '/', '@', "+
				"'\"', ' ' may be used.")
	}
	return nil
}
