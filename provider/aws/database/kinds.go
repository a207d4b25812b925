package database

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{kindOfRDS(), kindOfDBSubnets(), kindOfDBParameters()}
}

// kindOfRDS returns the kind rds. A sweep always reads all databases, because RDS has no filter by
// tag.
func kindOfRDS() api.Kind {
	return api.Kind{
		Schema: rdsSchema(),
		List:   listDatabases, Read: readDB, Tag: tagDB, Check: checkDB,
		Create: createDB, Update: updateDB, Remove: deleteDB,
		Calls: api.Calls{
			Service:  "rds",
			Own:      "db:*",
			Observes: "DescribeDBEngineVersions DescribeDBInstances DescribeDBSnapshots DescribeDBSubnetGroups",
			Creates:  "AddTagsToResource CreateDBInstance RestoreDBInstanceFromDBSnapshot",
			Changes:  "AddTagsToResource ModifyDBInstance RemoveTagsFromResource StartDBInstance StopDBInstance",
			Deletes:  "DeleteDBInstance",
			Untagged: ":CreateDBSnapshot", // the final snapshot of a deletion
			Touches:  "CreateDBInstance DeleteDBInstance ModifyDBInstance RestoreDBInstanceFromDBSnapshot",
			Secrets:  "CreateDBInstance ModifyDBInstance",
			// A managed password is a secret of Secrets Manager that is created in the caller's name.
			Others: []string{
				"ec2:DescribeSecurityGroups", "kms:DescribeKey", "secretsmanager:CreateSecret", "secretsmanager:TagResource",
			},
			Linked: "rds.amazonaws.com", // the first database of an account creates it
		},
	}
}
