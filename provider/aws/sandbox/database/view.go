package database

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type rdsEndpoint struct {
	Address      string
	Port         int
	HostedZoneId string
}

type rdsGroup struct {
	VpcSecurityGroupId string
	Status             string
}

type rdsPending struct {
	DBInstanceClass       string `xml:",omitempty"`
	AllocatedStorage      int    `xml:",omitempty"`
	EngineVersion         string `xml:",omitempty"`
	StorageType           string `xml:",omitempty"`
	Iops                  int    `xml:",omitempty"`
	StorageThroughput     int    `xml:",omitempty"`
	MultiAZ               *bool
	BackupRetentionPeriod *int
}

type rdsSecret struct {
	SecretArn    string
	SecretStatus string
	KmsKeyId     string
}

type rdsParamGroup struct {
	DBParameterGroupName string
	ParameterApplyStatus string
}

type xmlDB struct {
	DBInstanceIdentifier             string
	DBInstanceClass                  string
	Engine                           string
	DBInstanceStatus                 string
	MasterUsername                   string
	DBName                           string       `xml:",omitempty"`
	Endpoint                         *rdsEndpoint `xml:",omitempty"`
	AllocatedStorage                 int
	InstanceCreateTime               *time.Time
	PreferredBackupWindow            string
	BackupRetentionPeriod            int
	VpcSecurityGroups                []rdsGroup      `xml:"VpcSecurityGroups>VpcSecurityGroupMembership"`
	DBParameterGroups                []rdsParamGroup `xml:"DBParameterGroups>DBParameterGroup"`
	AvailabilityZone                 string          `xml:",omitempty"`
	DBSubnetGroup                    *xmlSubnetGroup
	PreferredMaintenanceWindow       string
	PendingModifiedValues            rdsPending
	MultiAZ                          bool
	EngineVersion                    string
	AutoMinorVersionUpgrade          bool
	LicenseModel                     string
	Iops                             int `xml:",omitempty"`
	StorageThroughput                int `xml:",omitempty"`
	PubliclyAccessible               bool
	StorageType                      string
	StorageEncrypted                 bool
	KmsKeyId                         string `xml:",omitempty"`
	DbiResourceId                    string
	CACertificateIdentifier          string
	CopyTagsToSnapshot               bool
	MonitoringInterval               int
	DBInstanceArn                    string
	IAMDatabaseAuthenticationEnabled bool
	PerformanceInsightsEnabled       bool
	DeletionProtection               bool
	MaxAllocatedStorage              int        `xml:",omitempty"`
	EnabledCloudwatchLogsExports     []string   `xml:"EnabledCloudwatchLogsExports>member"`
	MasterUserSecret                 *rdsSecret `xml:",omitempty"`
	TagList                          []rdsTag   `xml:"TagList>Tag"`
	DbInstancePort                   int
	BackupTarget                     string
	NetworkType                      string
}

// viewDB renders the current database. Until it was available once it
// has no endpoint and no time of creation (RDS API reference: DBInstance).
func viewDB(x *core.Exchange, d *database, status string) xmlDB {
	d = d.at(x.Now)
	s := d.Settings
	out := xmlDB{
		DBInstanceIdentifier: d.ID, DBInstanceClass: s.Class, Engine: d.Engine, DBInstanceStatus: status,
		MasterUsername: d.User, DBName: d.DBName,
		AllocatedStorage: s.Storage, PreferredBackupWindow: d.BackupTime, BackupRetentionPeriod: d.Retention,
		AvailabilityZone:           d.AZ,
		PreferredMaintenanceWindow: d.Window, MultiAZ: d.multi(), EngineVersion: s.Version,
		AutoMinorVersionUpgrade: d.AutoMinor, LicenseModel: license(d.Engine),
		Iops: s.IOPS, StorageThroughput: s.Through, PubliclyAccessible: d.Public, StorageType: s.Type,
		StorageEncrypted: d.Encrypted, KmsKeyId: d.KMS,
		DbiResourceId: d.Resource, CACertificateIdentifier: d.CA, CopyTagsToSnapshot: d.CopyTags,
		MonitoringInterval: d.Monitoring, DBInstanceArn: d.ARN,
		IAMDatabaseAuthenticationEnabled: d.IAMAuth, PerformanceInsightsEnabled: d.Insights, DeletionProtection: d.Protected,
		MaxAllocatedStorage:          d.MaxStorage,
		EnabledCloudwatchLogsExports: d.Logs, TagList: rdsTagList(d.Tags), BackupTarget: "region", NetworkType: "IPV4",
		DBParameterGroups: []rdsParamGroup{{d.ParamGroup, "in-sync"}},
	}
	if d.MaxStorage <= s.Storage { // it does not grow by itself
		out.MaxAllocatedStorage = 0
	}
	if status != "creating" {
		out.InstanceCreateTime = &d.Made
		out.Endpoint = &rdsEndpoint{
			d.ID + "." + strings.ToLower(d.Resource[3:15]) + "." + x.Region + ".rds.example", d.Port,
			"Z2R2ITUGPM61AM",
		}
	}
	for _, g := range d.Groups {
		out.VpcSecurityGroups = append(out.VpcSecurityGroups, rdsGroup{g, "active"})
	}
	if g, ok := core.Find[*subnetGroup](x.Tx, x.Region, d.SubnetGroup); ok {
		v := viewSubnetGroup(x, g)
		out.DBSubnetGroup = &v
	}
	if d.Secret != "" {
		out.MasterUserSecret = &rdsSecret{
			d.Secret, "active",
			"arn:aws:kms:" + x.Region + ":" + wire.Account + ":key/practice",
		}
		if status == "creating" {
			out.MasterUserSecret.SecretStatus = "creating"
		}
	}
	if p := d.Pending; p != nil {
		out.PendingModifiedValues = rdsPending{
			p.Class, p.Storage, p.Version, p.Type, p.IOPS, p.Through, p.MultiAZ,
			p.Retention,
		}
	}
	return out
}

func license(engine string) string {
	switch engine {
	case "postgres":
		return "postgresql-license"
	case "mysql", "mariadb":
		return "general-public-license"
	}
	return "license-included"
}

func describeDBs(x *core.Exchange) (any, error) {
	rows := core.List[*database](x.Tx, x.Region)
	if id := x.P.Str("DBInstanceIdentifier"); id != "" {
		d, err := db(x)
		if err != nil {
			return nil, err
		}
		rows = []*database{d}
	}
	rows, err := rdsFiltered(x, rows, func(d *database, name string) ([]string, bool) {
		switch name {
		case "db-instance-id":
			return []string{d.ID, d.ARN}, true
		case "dbi-resource-id":
			return core.One(d.Resource)
		case "engine":
			return core.One(d.Engine)
		case "db-cluster-id", "domain":
			return nil, true
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	page, next, err := rdsPage(x, rows)
	if err != nil {
		return nil, err
	}
	var out []xmlDB
	for _, d := range page {
		out = append(out, viewDB(x, d, d.Life.At(x.Now)))
	}
	return struct {
		Marker *string
		Set    []xmlDB `xml:"DBInstances>DBInstance"`
	}{next, out}, nil
}

type oneDB struct {
	DB xmlDB `xml:"DBInstance"`
}

// portOf is the engine's usual port.
func portOf(engine string) int {
	switch engine {
	case "postgres":
		return 5432
	case "mysql", "mariadb":
		return 3306
	}
	if len(engine) > 6 && engine[:6] == "oracle" {
		return 1521
	}
	return 1433
}
