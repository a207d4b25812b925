package awsfake

import (
	"slices"
	"strings"
	"time"
)

var snapshotName = late(`^[a-zA-Z][a-zA-Z0-9]*(-[a-zA-Z0-9]+)*$`)

// deleteDB: protection refuses, and the choice about a final snapshot must be
// made (RDS API reference: DeleteDBInstance).
func deleteDB(x *exchange) (any, error) {
	d, err := db(x)
	if err != nil {
		return nil, err
	}
	skip, final := x.p.yes("SkipFinalSnapshot"), x.p.str("FinalDBSnapshotIdentifier")
	x.p.str("DeleteAutomatedBackups")
	status := d.Life.at(x.now)
	switch {
	case d.Protected:
		return nil, failf("InvalidParameterCombination", "Cannot delete protected DB Instance, please disable deletion protection and try again.")
	case status == "deleting":
		return nil, failf("InvalidDBInstanceState", "Instance %s is already being deleted.", d.ID)
	case skip && final != "":
		return nil, failf("InvalidParameterCombination", "FinalDBSnapshotIdentifier can not be specified when deleting an instance with SkipFinalSnapshot.")
	case !skip && final == "":
		return nil, failf("InvalidParameterCombination", "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.")
	}
	n := *d.at(x.now)
	if !skip {
		if slices.Contains([]string{"creating", "failed", "incompatible-restore", "incompatible-network"}, status) {
			return nil, failf("InvalidDBInstanceState", "Cannot create a snapshot because the database instance %s is not currently in the available state.", d.ID)
		}
		if err := lastSnapshot(x, &n, final); err != nil {
			return nil, err
		}
	}
	n.Life = through(x.now, x.settle, "deleting", "deleting")
	n.Until = n.Life.end()
	x.tx.put(&n)
	return oneDB{viewDB(x, &n, "deleting")}, nil
}

func lastSnapshot(x *exchange, d *database, name string) error {
	if !snapshotName.MatchString(name) || len(name) > 255 {
		return failf("InvalidParameterValue", "The parameter FinalDBSnapshotIdentifier is not a valid identifier.")
	}
	name = strings.ToLower(name)
	if _, there := find[*snapshot](x.tx, x.Region, name); there {
		return failf("DBSnapshotAlreadyExists", "Cannot create the snapshot because a snapshot with the identifier %s already exists.", name)
	}
	s := &snapshot{
		base: x.tx.named(name, x.Region), ARN: rdsARN(x, "snapshot", name), Database: d.ID, Resource: d.Resource, Engine: d.Engine,
		Version: d.Settings.Version, Storage: d.Settings.Storage, Type: d.Settings.Type, IOPS: d.Settings.IOPS, Through: d.Settings.Through,
		Encrypted: d.Encrypted, KMS: d.KMS, User: d.User, DBName: d.DBName, Port: d.Port, Retention: d.Retention, Life: through(x.now, x.settle, "available", "creating"),
	}
	if d.CopyTags {
		s.Tags = d.Tags
	}
	x.tx.put(s)
	return nil
}

type xmlSnapshot struct {
	DBSnapshotIdentifier string
	DBInstanceIdentifier string
	SnapshotCreateTime   time.Time
	Engine               string
	EngineVersion        string
	AllocatedStorage     int
	Status               string
	Port                 int
	StorageType          string
	KmsKeyId             string `xml:",omitempty"`
	MasterUsername       string
	SnapshotType         string
	Encrypted            bool
	PercentProgress      int
	DBSnapshotArn        string
	DbiResourceId        string
	TagList              []rdsTag `xml:"TagList>Tag"`
}

func viewSnapshot(x *exchange, s *snapshot, status string) xmlSnapshot {
	return xmlSnapshot{s.ID, s.Database, s.Made, s.Engine, s.Version, s.Storage, status, s.Port, s.Type, s.KMS, s.User, "manual", s.Encrypted, 100, s.ARN, s.Resource, rdsTagList(s.Tags)}
}

func snapshotOf(x *exchange) (*snapshot, error) {
	name := strings.TrimPrefix(strings.ToLower(x.p.str("DBSnapshotIdentifier")), rdsARN(x, "snapshot", ""))
	s, ok := find[*snapshot](x.tx, x.Region, name)
	if !ok {
		return nil, failAs(404, "DBSnapshotNotFound", "DBSnapshot %s not found.", name)
	}
	return s, nil
}

func describeSnapshots(x *exchange) (any, error) {
	x.p.yes("IncludeShared") // there is one account
	rows := list[*snapshot](x.tx, x.Region)
	if x.p.str("DBSnapshotIdentifier") != "" {
		s, err := snapshotOf(x)
		if err != nil {
			return nil, err
		}
		rows = []*snapshot{s}
	}
	of, kind := strings.ToLower(x.p.str("DBInstanceIdentifier")), x.p.str("SnapshotType")
	var desired []*snapshot
	for _, s := range rows {
		if (of == "" || s.Database == of) && (kind == "" || kind == "manual") {
			desired = append(desired, s)
		}
	}
	page, next, err := rdsPage(x, desired)
	if err != nil {
		return nil, err
	}
	var out []xmlSnapshot
	for _, s := range page {
		out = append(out, viewSnapshot(x, s, s.Life.at(x.now)))
	}
	return struct {
		Marker *string
		Set    []xmlSnapshot `xml:"DBSnapshots>DBSnapshot"`
	}{next, out}, nil
}

func deleteSnapshot(x *exchange) (any, error) {
	s, err := snapshotOf(x)
	if err != nil {
		return nil, err
	}
	x.tx.drop(s)
	return struct {
		One xmlSnapshot `xml:"DBSnapshot"`
	}{viewSnapshot(x, s, "deleted")}, nil
}
