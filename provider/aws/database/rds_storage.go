package database

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// rdsStorage are the attributes of its disk.
func rdsStorage() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "storage", Type: resource.TInt, Min: api.Bound(5), Max: api.Bound(65536),
			HarmlessDefault: true, CreateDefault: resource.Int(20),
			DefaultUnless: snapshotAttr, Example: "20",
			Unit: "GiB", Fits: api.GrowsOnly, Doc: "In GiB. It can only grow; RDS rounds each step up to a tenth.",
		},
		{
			Name: "max_storage", Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(65536), Example: "100", Unit: "GiB",
			Doc: "In GiB. AWS grows the storage automatically up to this size when it fills up; 0 disables that.",
		},
		{
			Name: "storage_type", Type: resource.TString, Enum: []string{"gp3", "gp2", "io1", "io2", "standard"},
			HarmlessDefault: true, CreateDefault: resource.String("gp3"), DefaultUnless: snapshotAttr, Example: "gp3",
			Doc: "The storage type. io1 and io2 need iops.",
		},
		{
			Name: "iops", Type: resource.TInt, Min: api.Bound(1000), Max: api.Bound(256000), Example: "12000",
			Doc: "Operations per second, for io1, io2, and gp3 from 400 GiB on. If omitted, gp3 has 12,000 from there on; " +
				"below, it has 3,000, which cannot be set.",
		},
		{
			Name: "throughput", Type: resource.TInt, Min: api.Bound(500), Max: api.Bound(4000), Example: "500",
			Doc: "MiB per second, for gp3 from 400 GiB on. If omitted, 500.",
		},
		{
			Name: "encrypted", Type: resource.TBool, Effect: resource.Replace,
			HarmlessDefault: true, CreateDefault: resource.Bool(true),
			DefaultUnless: snapshotAttr, Example: "true",
			Fits: api.EncryptedAnyway, Doc: "Whether the storage is encrypted.",
		},
		{
			Name: api.KMSKeyAttr, Type: resource.TString, Effect: resource.Replace, RefKind: api.KMSKeyAttr,
			RefPath: "arn", Weak: true,
			Pattern: `arn:aws[a-z-]*:kms:.+:key/.+|(mrk-)?[0-9a-f-]{32,36}`, Fits: sameKey,
			Example: "main", Doc: "The key that encrypts it: a kms_key, or the ARN or ID of a key, not an alias, because AWS " +
				"reports the key. If omitted, AWS's own.",
		},
	}
}

// The size from which gp3 storage has more than the least performance, and what it has then at least
// ("Amazon RDS DB instance storage": gp3).
const (
	stripedFrom       = 400 // GiB
	stripedIOPS       = 12000
	stripedThroughput = 500 // MiB/s
)

// provisioned reports that storage of a type and size has a performance that can be set. That of
// smaller gp3 storage is not reported either: it is no setting. Without this rule a plan would
// compare the fixed 3,000 operations of small gp3 storage with a configuration that cannot set
// them.
func provisioned(storageType string, size int32) bool {
	return storageType == "io1" || storageType == "io2" || storageType == "gp3" && size >= stripedFrom
}

// storage adds the attributes of the disk. iops and throughput are added only if they can be set.
func storage(a api.Attrs, d types.DBInstance) {
	a.Number("storage", d.AllocatedStorage)
	a["max_storage"] = resource.Int(growsTo(d))
	a.Text("storage_type", d.StorageType)
	if provisioned(aws.ToString(d.StorageType), aws.ToInt32(d.AllocatedStorage)) {
		a.Number("iops", d.Iops)
		if aws.ToString(d.StorageType) == "gp3" {
			a.Number("throughput", d.StorageThroughput)
		}
	}
	a.Flag("encrypted", d.StorageEncrypted)
	a.Text(api.KMSKeyAttr, d.KmsKeyId)
}

// sameKey: AWS reports the ARN of a key, and takes its ID too.
func sameKey(desired, observed resource.Value) resource.Fit {
	want, ok := desired.(resource.String)
	have, is := observed.(resource.String)
	if ok && is && want != "" && strings.HasSuffix(string(have), ":key/"+string(want)) {
		return resource.Equivalent
	}
	return resource.Differs
}

// growsTo is the size up to which storage grows by itself; 0 where it does not. RDS also takes the size
// that it has for that ("Managing capacity automatically with Amazon RDS storage autoscaling").
func growsTo(d types.DBInstance) int32 {
	if most := aws.ToInt32(d.MaxAllocatedStorage); most > aws.ToInt32(d.AllocatedStorage) {
		return most
	}
	return 0
}

// ceiling is the size up to which storage shall grow by itself, as RDS takes it. The number of the
// present size disables automatic growth: RDS has no other value for it.
// ModifyDBInstance: values "that are not at least 10% greater than the existing value are rounded
// up". The ceiling is therefore the size after the rounding.
func ceiling(in *rds.ModifyDBInstanceInput, a resource.Attrs, d types.DBInstance) *int32 {
	most := api.DesiredInt(a, "max_storage")
	if most == nil || *most > 0 {
		return most
	}
	size := aws.ToInt32(d.AllocatedStorage)
	if n := aws.ToInt32(in.AllocatedStorage); n > size {
		size = max(n, (size*11+9)/10) // RDS rounds each step up to a tenth
	}
	return aws.Int32(size)
}

// provision completes a change of storage whose performance can be set: RDS refuses a size without it, and
// it without the size.
// ModifyDBInstance: with a larger size "you must also specify the Iops parameter", and with more
// Iops "you must also specify the AllocatedStorage parameter".
func provision(in *rds.ModifyDBInstanceInput, d types.DBInstance) {
	size := cmp.Or(aws.ToInt32(in.AllocatedStorage), aws.ToInt32(d.AllocatedStorage))
	storageType := cmp.Or(aws.ToString(in.StorageType), aws.ToString(d.StorageType))
	if in.AllocatedStorage == nil && in.StorageType == nil && in.Iops == nil && in.StorageThroughput == nil ||
		!provisioned(storageType, size) {
		return
	}
	in.AllocatedStorage = aws.Int32(size)
	if storageType != "gp3" {
		in.Iops = cmp.Or(in.Iops, d.Iops)
		return
	}
	if in.Iops == nil {
		in.Iops = aws.Int32(max(aws.ToInt32(d.Iops), stripedIOPS))
	}
	if in.StorageThroughput == nil {
		in.StorageThroughput = aws.Int32(max(aws.ToInt32(d.StorageThroughput), stripedThroughput))
	}
}
