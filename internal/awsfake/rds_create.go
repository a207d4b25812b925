package awsfake

import (
	"slices"
	"strings"
)

var (
	dbName  = late(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	dbClass = late(`^db\.[a-z0-9-]+\.(micro|small|medium|large|[0-9]*xlarge)$`)
	dbUser  = late(`^[a-zA-Z][a-zA-Z0-9_]{0,62}$`)
)

// createDB makes a database; its name is its idempotency: a second call under
// the same name is refused (RDS API reference: CreateDBInstance).
func createDB(x *exchange) (any, error) {
	id, err := newDBName(x)
	if err != nil {
		return nil, err
	}
	d := &database{Engine: x.p.str("Engine"), User: x.p.str("MasterUsername"), DBName: x.p.str("DBName")}
	for _, step := range []func(*database) error{func(d *database) error { return readEngine(x, d) }, func(d *database) error { return readStorage(x, d) }, func(d *database) error { return readLogin(x, d) }, func(d *database) error { return readBackups(x, d) }, func(d *database) error { return readNetwork(x, d) }} {
		if err := step(d); err != nil {
			return nil, err
		}
	}
	if err := nameDB(x, d, id); err != nil {
		return nil, err
	}
	if x.p.yes("ManageMasterUserPassword") {
		x.p.str("MasterUserSecretKmsKeyId")
		d.Secret = "arn:aws:secretsmanager:" + x.Region + ":" + Account + ":secret:rds!db-" + x.tx.st.hex("secret", d.Seq)[:32]
	}
	d.Life = through(x.now, x.settle, "available", "creating")
	if d.Retention > 0 {
		d.Life = through(x.now, x.settle, "available", "creating", "backing-up")
	}
	x.tx.put(d)
	return oneDB{viewDB(x, d, "creating")}, nil
}

// newDBName is the name of a database that does not exist yet.
func newDBName(x *exchange) (string, error) {
	id := strings.ToLower(x.p.str("DBInstanceIdentifier"))
	switch {
	case id == "":
		return "", missing("DBInstanceIdentifier")
	case !dbName.MatchString(id) || len(id) > 63:
		return "", failf("InvalidParameterValue", "The parameter DBInstanceIdentifier is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.")
	}
	if _, there := find[*database](x.tx, x.Region, id); there {
		return "", failf("DBInstanceAlreadyExists", "DB instance already exists")
	}
	return id, nil
}

// nameDB gives a new database its names and tags.
func nameDB(x *exchange, d *database, id string) error {
	tags, err := readRDSTags(x.p)
	if err != nil {
		return err
	}
	d.base = x.tx.named(id, x.Region)
	d.Tags, d.ARN = tags, rdsARN(x, "db", id)
	d.Resource = "db-" + strings.ToUpper(x.tx.st.hex("db"+x.Region, d.Seq)[:26])
	return nil
}

func readEngine(x *exchange, d *database) error {
	class, err := dbClassOf(x)
	if err != nil {
		return err
	}
	if class == "" {
		return missing("DBInstanceClass")
	}
	if d.Engine == "" {
		return missing("Engine")
	}
	version, err := engineVersion(d.Engine, x.p.str("EngineVersion"))
	if err != nil {
		return err
	}
	d.Settings.Class, d.Settings.Version = class, version
	d.AutoMinor = x.p.flag("AutoMinorVersionUpgrade", true)
	d.ParamGroup = strings.ToLower(x.p.or("DBParameterGroupName", "default."+d.Engine+major(d.Engine, version)))
	if err := parametersOf(x, d); err != nil {
		return err
	}
	d.CA = x.p.or("CACertificateIdentifier", "rds-ca-rsa2048-g1")
	d.IAMAuth = x.p.yes("EnableIAMDatabaseAuthentication")
	d.Insights = x.p.yes("EnablePerformanceInsights")
	d.Logs = x.p.wrappedStrs("EnableCloudwatchLogsExports", "member")
	if d.Monitoring, err = x.p.num("MonitoringInterval", 0); err != nil {
		return err
	}
	d.Port, err = x.p.num("Port", portOf(d.Engine))
	if err == nil && (d.Port < 1150 || d.Port > 65535) {
		return failf("InvalidParameterValue", "The port %d is invalid: it must be from 1150 to 65535.", d.Port)
	}
	return err
}

func dbClassOf(x *exchange) (string, error) {
	class := x.p.str("DBInstanceClass")
	if class != "" && !dbClass.MatchString(class) {
		return "", failf("InvalidParameterValue", "Invalid DB Instance class: %s", class)
	}
	return class, nil
}

// readLogin checks the master user. The password is checked and not stored.
func readLogin(x *exchange, d *database) error {
	password, managed := x.p.str("MasterUserPassword"), x.p.yes("ManageMasterUserPassword")
	switch {
	case d.User == "":
		return failf("InvalidParameterValue", "The parameter MasterUsername must be provided and must not be blank.")
	case !dbUser.MatchString(d.User):
		return failf("InvalidParameterValue", "The parameter MasterUsername is not a valid identifier.")
	case slices.Contains([]string{"rdsadmin", "rdsrepladmin"}, d.User) || d.Engine == "postgres" && (d.User == "admin" || strings.HasPrefix(d.User, "pg_")):
		return failf("InvalidParameterValue", "MasterUsername %s cannot be used as it is a reserved word used by the engine", d.User)
	case managed && password != "":
		return failf("InvalidParameterCombination", "You can't specify MasterUserPassword for an instance with ManageMasterUserPassword enabled.")
	case managed:
		return nil
	}
	return checkPassword(password)
}

func checkPassword(password string) error {
	switch {
	case password == "":
		return failf("InvalidParameterValue", "The parameter MasterUserPassword must be provided and must not be blank.")
	case len(password) < 8 || len(password) > 128:
		return failf("InvalidParameterValue", "The parameter MasterUserPassword is not a valid password because it is shorter than 8 characters or too long.")
	case strings.ContainsAny(password, "/\"@ "):
		return failf("InvalidParameterValue", "The parameter MasterUserPassword is not a valid password. Only printable ASCII characters besides '/', '@', '\"', ' ' may be used.")
	}
	return nil
}
