package database

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/keys"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// readStorage: sizes from 20 GiB for general purpose storage ("Amazon RDS DB
// instance storage").
func readStorage(x *core.Exchange, d *database) error {
	s := &d.Settings
	if !x.P.Has("AllocatedStorage") {
		return wire.Failf("InvalidParameterValue", "The parameter AllocatedStorage must be provided and must not be blank.")
	}
	var err error
	if s.Storage, err = x.P.Num("AllocatedStorage", 0); err != nil {
		return err
	}
	if s.IOPS, err = x.P.Num("Iops", 0); err != nil {
		return err
	}
	if s.Through, err = x.P.Num("StorageThroughput", 0); err != nil {
		return err
	}
	s.Type = x.P.Str("StorageType")
	if s.Type == "" {
		s.Type = "gp2"
		if s.IOPS > 0 {
			s.Type = "io1"
		}
	}
	d.Encrypted = x.P.Yes("StorageEncrypted")
	if d.KMS, err = rdsKey(x, d.Encrypted); err != nil {
		return err
	}
	if d.MaxStorage, err = x.P.Num("MaxAllocatedStorage", 0); err != nil {
		return err
	}
	return checkStorage(x, d)
}

// stripedFrom is the size in GiB from which gp3 storage has 12,000 IOPS and 500 MiB/s at least ("Amazon
// RDS DB instance storage").
const stripedFrom = 400

// provisioned reports that storage has a performance that can be set.
func provisioned(s *settings) bool {
	return s.Type == "io1" || s.Type == "io2" || s.Type == "gp3" && s.Storage >= stripedFrom
}

// checkSpeed refuses a performance that storage of the type and size cannot have, and storage that needs one
// without it ("Amazon RDS DB instance storage").
func checkSpeed(x *core.Exchange, d *database) error {
	s := &d.Settings
	switch {
	case x.P.Has("Iops") && !provisioned(s), x.P.Has("StorageThroughput") && (s.Type != "gp3" || !provisioned(s)):
		return wire.Failf("InvalidParameterCombination",
			"You can't specify IOPS or storage throughput for engine %s and a storage size less than 400.", d.Engine)
	case s.Type == "gp3" && provisioned(s) &&
		(x.P.Has("Iops") && s.IOPS < 12000 || x.P.Has("StorageThroughput") && s.Through < 500):
		return wire.Failf("InvalidParameterCombination",
			"Invalid iops or storage throughput for engine name %s and storage type gp3: %d and %d", d.Engine, s.IOPS, s.Through)
	case s.Type == "gp3" && provisioned(s) && s.Through*4 > max(s.IOPS, 12000):
		return wire.Failf("InvalidParameterCombination",
			"The storage throughput to IOPS ratio must not be more than 0.25: %d and %d", s.Through, s.IOPS)
	}
	return nil
}

func checkStorage(x *core.Exchange, d *database) error {
	if err := checkSpeed(x, d); err != nil {
		return err
	}
	s := &d.Settings
	lo, hi := 20, 65536
	switch s.Type {
	case "gp2":
		s.IOPS, s.Through = 0, 0
	case "gp3":
		s.IOPS, s.Through = max(s.IOPS, 3000), max(s.Through, 125)
		if s.Storage >= stripedFrom {
			s.IOPS, s.Through = max(s.IOPS, 12000), max(s.Through, 500)
		}
	case "io1", "io2":
		lo, s.Through = 100, 0
		if s.IOPS < 1000 {
			return wire.Failf("InvalidParameterCombination", "Invalid iops value for engine name %s and storage type %s: %d",
				d.Engine, s.Type, s.IOPS)
		}
	case "standard":
		lo, hi = 5, 3072
	default:
		return wire.Failf("InvalidParameterValue", "Invalid storage type: %s", s.Type)
	}
	if s.Storage < lo || s.Storage > hi {
		return wire.Failf("InvalidParameterValue", "Invalid storage size for engine name %s and storage type %s: %d",
			d.Engine, s.Type, s.Storage)
	}
	if d.MaxStorage != 0 && d.MaxStorage < s.Storage {
		return wire.Failf("InvalidParameterCombination",
			"Max allocated storage must be at least the allocated storage of %d.", s.Storage)
	}
	return nil
}

// rdsKey is the ARN of the key that encrypts a database: the one that is named, in any of the forms, or
// RDS's own (RDS API reference: CreateDBInstance, KmsKeyId and KMSKeyNotAccessibleFault).
func rdsKey(x *core.Exchange, encrypted bool) (string, error) {
	own, id := keys.KeyARN(x, "aws-rds"), x.P.Str("KmsKeyId")
	switch {
	case id != "" && !encrypted:
		return "", wire.Failf("InvalidParameterCombination", "KmsKeyId requires StorageEncrypted.")
	case !encrypted:
		return "", nil
	case id == "", id == own:
		return own, nil
	}
	if a, ok := core.Find[*keys.KMSAlias](x.Tx, x.Region,
		strings.TrimPrefix(id, strings.TrimSuffix(keys.KeyARN(x, ""), "key/"))); ok {
		id = a.Key
	}
	k, err := keys.KMSKeyAt(x, id)
	if err != nil || k.Disabled || !k.Deleted.IsZero() {
		return "", wire.Failf("KMSKeyNotAccessibleFault",
			"The specified KMS key [%s] does not exist, is not enabled or you do not have permissions to access it.", id)
	}
	return keys.KeyARN(x, k.ID), nil
}
