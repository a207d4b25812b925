package aws

import "github.com/ovi-project/ovi/resource"

func rdsKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindRDS,
		Doc: "A managed database.\n\nIts name is its identifier. Where nothing else is said: PostgreSQL, 20 GiB, encrypted, " +
			"not public, seven days of backups, a password that AWS makes and keeps in its Secrets Manager, and a last snapshot when it is deleted.",
		NamePattern: `[a-z]([a-z0-9-]{0,61}[a-z0-9])?`, NameDoc: "small letters, digits and single hyphens, beginning with a letter, at most 63",
		Canonical: canonicalRDS, CrossCheck: together(dbNames, groupsFit),
		Attrs: append(rdsMachine(), rdsLocation()...),
	}
}

// rdsMachine is what the database is.
func rdsMachine() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "size", Type: resource.TString, Required: true, Effect: resource.Restart, Pattern: `db\.[a-z0-9-]+\.[a-z0-9-]+`,
			Example: "db.t3.micro", Doc: "The instance class. Changing it interrupts the database.",
		},
		stateAttr("database"),
		{
			Name: "engine", Type: resource.TString, Effect: resource.Replace, CreateDefault: resource.String("postgres"),
			Enum: []string{"postgres", "mysql", "mariadb"}, Example: "postgres", Doc: "The database engine.",
		},
		{
			Name: "engine_version", Type: resource.TString, Effect: resource.Restart, WriteOnly: true, Pattern: `[0-9]+(\.[0-9A-Za-z-]+)*`,
			Example: "16", Doc: "A major version, or an exact one. AWS's own minor upgrades are no drift; running_version says what runs.",
		},
		{
			Name: "storage", Type: resource.TInt, Min: bound(5), Max: bound(65536), CreateDefault: resource.Int(20), Example: "20",
			Doc: "In GiB. It can only grow.",
		},
		{
			Name: "storage_type", Type: resource.TString, Enum: []string{"gp3", "gp2", "standard"},
			CreateDefault: resource.String("gp3"), Example: "gp3", Doc: "The type of the storage.",
		},
		{
			Name: "encrypted", Type: resource.TBool, Effect: resource.Replace, CreateDefault: resource.Bool(true), Example: "true",
			Doc: "Whether the storage is encrypted with the account's key.",
		},
		{
			Name: "multi_az", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
			Doc: "Whether a standby waits in a second zone.",
		},
		{
			Name: "public", Type: resource.TBool, Default: resource.Bool(false), Example: "false",
			Doc: "Whether it can be reached from outside its network.",
		},
		{
			Name: "username", Type: resource.TString, Effect: resource.Replace, CreateDefault: resource.String("dbadmin"),
			Pattern: `[A-Za-z][A-Za-z0-9_]{0,62}`, Example: "dbadmin", Doc: "The first user; at most 16 characters with mysql and mariadb.",
		},
		{
			Name: "password", Type: resource.TString, WriteOnly: true, Secret: true, Min: bound(8), Max: bound(128), Valid: passwordText,
			Example: "${env:DB_PASSWORD}", Doc: "The first user's password, of printable ASCII without / \" and @; at most 41 characters with mysql and mariadb. Without it AWS makes one and keeps it in Secrets Manager, which is better.",
		},
	}
}

// rdsLocation is where it stands, how it is kept, and what is seen of it.
func rdsLocation() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "database", Type: resource.TString, Effect: resource.Replace, Pattern: `[A-Za-z][A-Za-z0-9_]{0,63}`,
			Example: "app", Doc: "A database to make in it.",
		},
		{
			Name: "port", Type: resource.TInt, Effect: resource.Restart, Min: bound(1150), Max: bound(65535), Example: "5432",
			Doc: "The port it listens on; the engine's own where nothing is said.",
		},
		groupsAttr("The firewalls around it; the network's default group where nothing is said."),
		{
			Name: "subnet_group", Type: resource.TString, Effect: resource.Replace, Max: bound(255), Example: "data",
			Doc: "The DB subnet group it stands in; the default one where nothing is said.",
		},
		{
			Name: "backup_days", Type: resource.TInt, Effect: resource.Restart, Min: bound(0), Max: bound(35), CreateDefault: resource.Int(7),
			Example: "7", Doc: "How long automatic backups are kept; 0 is none. AWS interrupts the database when this goes to or from 0.",
		},
		{
			Name: "deletion_protection", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
			Doc: "Whether AWS refuses to delete it. ovi never switches this off unless the wish says false.",
		},
		{
			Name: "final_snapshot", Type: resource.TBool, Default: resource.Bool(true), Example: "true",
			Doc: "Whether a last snapshot is taken when it is deleted. Kept as the tag ovi:final-snapshot, since a deleted block says nothing.",
		},
		{Name: "endpoint", Type: resource.TString, Computed: true, Doc: "Where it listens: host and port."},
		{Name: "running_version", Type: resource.TString, Computed: true, Doc: "The engine's exact version."},
		{Name: "password_secret", Type: resource.TString, Computed: true, Doc: "The ARN of the secret that holds the password AWS made."},
	}
}

func s3Kind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindS3,
		Doc: "A bucket.\n\nIts name is the bucket's name, unless bucket says another. ovi never empties a bucket: " +
			"one that holds objects cannot be deleted before somebody has emptied it.",
		NamePattern: bucketPattern, NameDoc: "small letters, digits, '.' and '-', from 3 to 63",
		Canonical: canonicalS3, CrossCheck: together(bucketsOnce),
		Attrs: []resource.Attribute{
			{
				Name: "bucket", Type: resource.TString, Effect: resource.Replace, Pattern: bucketPattern, Valid: bucketValue, Example: "acme-assets",
				Doc: "The bucket's name, if it is not the thing's. Bucket names are unique among all accounts of AWS.",
			},
			{
				Name: "versioning", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
				Doc: "Whether old versions of objects are kept.",
			},
			{
				Name: "block_public_access", Type: resource.TBool, Default: resource.Bool(true), Example: "true",
				Doc: "Whether all four kinds of public access are blocked.",
			},
			{
				Name: "encryption", Type: resource.TString, Enum: []string{"AES256", "aws:kms"}, CreateDefault: resource.String("AES256"), Example: "AES256",
				Doc: "How new objects are encrypted where they do not say so themselves.",
			},
			{Name: "kms_key", Type: resource.TString, Example: "alias/assets", Max: bound(2048), Doc: "The key, for encryption aws:kms; AWS's own where nothing is said."},
		},
	}
}

const bucketPattern = `[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]`
