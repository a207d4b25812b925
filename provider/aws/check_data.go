package aws

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// bucketWrong returns what is wrong with a bucket name that has the right characters and length
// ("General purpose bucket naming rules"); empty if nothing is.
func bucketWrong(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return "has the form of an IP address"
	}
	if strings.Contains(name, "..") {
		return "has two dots in a row"
	}
	for _, p := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, p) {
			return "starts with " + p + ", which S3 reserves"
		}
	}
	for _, s := range []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, s) {
			return "ends with " + s + ", which S3 reserves"
		}
	}
	return ""
}

func bucketValue(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if wrong := bucketWrong(string(s)); wrong != "" {
		return wrongValue("use for example acme-assets", "%q %s", s, wrong)
	}
	return nil
}

// bucketOf gives a bucket's name and the attribute that sets it.
func bucketOf(d *resource.Desired) (name, path string) {
	if s, ok := text(d.Attrs, "bucket"); ok {
		return s, "bucket"
	}
	return d.Ref.Name, "name"
}

// bucketsOnce: the name of a bucket is unique in all regions ("General purpose buckets overview").
func bucketsOnce(c *checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.configured {
		name, path := bucketOf(d)
		if wrong := bucketWrong(name); wrong != "" && path == "name" {
			c.wrong(d, path, "use for example acme-assets", "%q %s", name, wrong)
		}
		other, again := first[name]
		if !again {
			first[name] = d
			continue
		}
		second := d
		if earlier(second, other) {
			other, second = second, other
		}
		_, path = bucketOf(second)
		c.wrong(second, path, "use another name: bucket names are unique among all regions and accounts", "duplicate bucket %s: s3/%s has it too", name, location(other))
	}
}

// canonicalS3: the key "is allowed if and only if SSEAlgorithm is set to aws:kms"
// (ServerSideEncryptionByDefault).
func canonicalS3(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := text(a, policyAttr); ok {
		a = a.With(policyAttr, resource.String(canonicalDocument(s)))
	}
	cipher, said := text(a, "encryption")
	if _, key := a.Get("kms_key"); key && (!said || cipher != "aws:kms") {
		return a, []resource.Problem{{Path: "kms_key", Summary: "kms_key requires encryption aws:kms", Suggestion: "set encryption: aws:kms"}}
	}
	return a, nil
}

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

// dbLimits are what the engines allow in length: the first user ("Naming constraints in Amazon
// RDS"), the password and the database (CreateDBInstanceInput).
func dbLimits(engine string) (user, password, database int) {
	if engine == "postgres" {
		return 63, 128, 63
	}
	return 16, 41, 64
}

func judgeDB(a resource.Attrs) (out []resource.Problem) {
	wrong := func(path, suggestion, format string, args ...any) {
		out = append(out, resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
	}
	engine, said := text(a, "engine")
	if !said {
		engine = "postgres"
	}
	if _, zone := a.Get("zone"); zone {
		if multi, _ := flag(a, "multi_az"); multi {
			wrong("zone", "omit zone or multi_az", "with multi_az, AWS chooses the zones")
		}
	}
	if on, set := flag(a, "encrypted"); set && !on {
		if _, key := a.Get(kmsKeyAttr); key {
			wrong(kmsKeyAttr, "omit it, or set encrypted: true", "kms_key requires encrypted: true")
		}
	}
	if isSet(a, snapshotAttr) && isSet(a, "database") {
		wrong("database", "omit database", "the databases of a restored one are those of its snapshot")
	}
	user, password, database := dbLimits(engine)
	name, _ := text(a, "username")
	switch {
	case name == "rdsadmin", name == "admin" && engine == "postgres":
		wrong("username", "dbadmin", "%q is reserved by RDS", name)
	case len(name) > user:
		wrong("username", fmt.Sprintf("at most %d characters", user), "the name of the master user has %d characters", len(name))
	}
	if s, _ := text(a, "database"); len(s) > database {
		wrong("database", fmt.Sprintf("at most %d characters", database), "the name of the database has %d characters", len(s))
	}
	if v, _ := a.Get("password"); len(revealed(v)) > password {
		wrong("password", fmt.Sprintf("at most %d characters for %s", password, engine), "the password is too long for %s", engine)
	}
	return append(out, judgeStorage(a)...)
}

func revealed(v resource.Value) string {
	s, _ := v.(resource.Secret)
	return s.Reveal()
}

// passwordText: "any printable ASCII character except "/", """, or "@"" (MasterUserPassword).
// The message does not show the password.
func passwordText(v resource.Value) []resource.Problem {
	for _, r := range revealed(v) {
		if r < ' ' || r > '~' || strings.ContainsRune(`/"@`, r) {
			return wrongValue(`use printable ASCII without / " and @`, "the password has a character that RDS does not accept")
		}
	}
	return nil
}

// dbNames: "Can't end with a hyphen or contain two consecutive hyphens" (DBInstanceIdentifier).
func dbNames(c *checking) {
	for _, d := range c.configured {
		if strings.Contains(d.Ref.Name, "--") {
			c.alone(d, "name", strings.ReplaceAll(d.Ref.Name, "--", "-"), "%q has two hyphens in a row", d.Ref.Name)
		}
	}
}
