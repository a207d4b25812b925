// Package database has the RDS of the sandbox: instances, snapshots, and groups of subnets and parameters. It promises
// that a change waits where AWS lets it wait. It keeps no passwords.
package database

import "github.com/ovi-project/ovi/provider/aws/sandbox/core"

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"rds": {
		"CreateDBInstance": createDB, "DescribeDBInstances": describeDBs, "ModifyDBInstance": modifyDB,
		"DeleteDBInstance": deleteDB,
		"StartDBInstance":  startDB, "StopDBInstance": stopDB, "RebootDBInstance": rebootDB,
		"AddTagsToResource": addRDSTags, "RemoveTagsFromResource": removeRDSTags, "ListTagsForResource": listRDSTags,
		"RestoreDBInstanceFromDBSnapshot": restoreDB, "DescribeDBSnapshots": describeSnapshots,
		"DeleteDBSnapshot":    deleteSnapshot,
		"CreateDBSubnetGroup": createSubnetGroup, "DescribeDBSubnetGroups": describeSubnetGroups,
		"DescribeDBEngineVersions": describeEngineVersions, "DeleteDBSubnetGroup": deleteSubnetGroup,
		"ModifyDBSubnetGroup":    modifySubnetGroup,
		"CreateDBParameterGroup": createParams, "DescribeDBParameterGroups": describeParamGroups,
		"DescribeDBParameters":   describeParams,
		"ModifyDBParameterGroup": modifyParams, "ResetDBParameterGroup": resetParams, "DeleteDBParameterGroup": deleteParams,
	}}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{
			Name: "db", Word: "rds", Rank: 12, Type: (*database)(nil),
			Order: core.Ordered("rds", "CreateDBInstance", map[string]string{
				"DBInstanceClass": "db.t3.micro", "Engine": "postgres", "AllocatedStorage": "20",
				"MasterUsername": "sandbox", "ManageMasterUserPassword": "true",
			}),
		},
		{Name: "snapshot", Type: (*snapshot)(nil)},
		{Name: "subgrp", Word: "db_subnet_group", Rank: 11, Type: (*subnetGroup)(nil)},
		{Name: "pg", Word: "db_parameter_group", Rank: 24, Type: (*paramGroup)(nil)},
	}
}
