package database

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

var snapshotName = wire.Late(`^[a-zA-Z][a-zA-Z0-9]*(-[a-zA-Z0-9]+)*$`)

// deleteDB: protection refuses, and the choice about a final snapshot must be
// made (RDS API reference: DeleteDBInstance).
func deleteDB(x *core.Exchange) (any, error) {
	d, err := db(x)
	if err != nil {
		return nil, err
	}
	skip, final := x.P.Yes("SkipFinalSnapshot"), x.P.Str("FinalDBSnapshotIdentifier")
	x.P.Str("DeleteAutomatedBackups")
	status := d.Life.At(x.Now)
	switch {
	case d.Protected:
		return nil, wire.Failf("InvalidParameterCombination",
			"Cannot delete protected DB Instance, please disable deletion protection and try again.")
	case status == "deleting":
		return nil, wire.Failf("InvalidDBInstanceState", "Instance %s is already being deleted.", d.ID)
	case skip && final != "":
		return nil, wire.Failf("InvalidParameterCombination",
			"FinalDBSnapshotIdentifier can not be specified when deleting an instance with SkipFinalSnapshot.")
	case !skip && final == "":
		return nil, wire.Failf("InvalidParameterCombination",
			"FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.")
	}
	n := *d.at(x.Now)
	if !skip {
		if slices.Contains([]string{"creating", "failed", "incompatible-restore", "incompatible-network"}, status) {
			return nil, wire.Failf("InvalidDBInstanceState",
				"Cannot create a snapshot because the database instance %s is not currently in the available state.", d.ID)
		}
		if err := lastSnapshot(x, &n, final); err != nil {
			return nil, err
		}
	}
	n.Life = core.Through(x.Now, x.Settle, "deleting", "deleting")
	n.Until = n.Life.End()
	x.Tx.Put(&n)
	return oneDB{viewDB(x, &n, "deleting")}, nil
}

func lastSnapshot(x *core.Exchange, d *database, name string) error {
	if !snapshotName.MatchString(name) || len(name) > 255 {
		return wire.Failf("InvalidParameterValue", "The parameter FinalDBSnapshotIdentifier is not a valid identifier.")
	}
	name = strings.ToLower(name)
	if _, there := core.Find[*snapshot](x.Tx, x.Region, name); there {
		return wire.Failf("DBSnapshotAlreadyExists",
			"Cannot create the snapshot because a snapshot with the identifier %s already exists.", name)
	}
	s := &snapshot{
		Base: x.Tx.Named(name, x.Region), ARN: rdsARN(x, "snapshot", name), Database: d.ID, Resource: d.Resource,
		Engine:  d.Engine,
		Version: d.Settings.Version, Storage: d.Settings.Storage, Type: d.Settings.Type, IOPS: d.Settings.IOPS,
		Through:   d.Settings.Through,
		Encrypted: d.Encrypted, KMS: d.KMS, User: d.User, DBName: d.DBName, Port: d.Port, Retention: d.Retention,
		Life: core.Through(x.Now, x.Settle, "available", "creating"),
	}
	if d.CopyTags {
		s.Tags = d.Tags
	}
	x.Tx.Put(s)
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

func viewSnapshot(x *core.Exchange, s *snapshot, status string) xmlSnapshot {
	return xmlSnapshot{
		s.ID, s.Database, s.Made, s.Engine, s.Version, s.Storage, status, s.Port, s.Type, s.KMS, s.User,
		"manual", s.Encrypted, 100, s.ARN, s.Resource, rdsTagList(s.Tags),
	}
}

func snapshotOf(x *core.Exchange) (*snapshot, error) {
	name := strings.TrimPrefix(strings.ToLower(x.P.Str("DBSnapshotIdentifier")), rdsARN(x, "snapshot", ""))
	s, ok := core.Find[*snapshot](x.Tx, x.Region, name)
	if !ok {
		return nil, wire.FailAs(404, "DBSnapshotNotFound", "DBSnapshot %s not found.", name)
	}
	return s, nil
}

func describeSnapshots(x *core.Exchange) (any, error) {
	x.P.Yes("IncludeShared") // there is one account
	rows := core.List[*snapshot](x.Tx, x.Region)
	if x.P.Str("DBSnapshotIdentifier") != "" {
		s, err := snapshotOf(x)
		if err != nil {
			return nil, err
		}
		rows = []*snapshot{s}
	}
	of, kind := strings.ToLower(x.P.Str("DBInstanceIdentifier")), x.P.Str("SnapshotType")
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
		out = append(out, viewSnapshot(x, s, s.Life.At(x.Now)))
	}
	return struct {
		Marker *string
		Set    []xmlSnapshot `xml:"DBSnapshots>DBSnapshot"`
	}{next, out}, nil
}

func deleteSnapshot(x *core.Exchange) (any, error) {
	s, err := snapshotOf(x)
	if err != nil {
		return nil, err
	}
	x.Tx.Drop(s)
	return struct {
		One xmlSnapshot `xml:"DBSnapshot"`
	}{viewSnapshot(x, s, "deleted")}, nil
}
