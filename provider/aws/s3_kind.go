package aws

import "github.com/ovi-project/ovi/resource"

func kindOfS3() kind {
	return kind{
		schema: s3Schema(),
		list:   listBuckets, read: readBucketByName, tag: tagBucket, check: checkBucket,
		create: createBucket, update: updateBucket, remove: deleteBucket,
	}
}

const ownershipAttr = "ownership"

const bucketPattern = `[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]`

func s3Schema() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindS3,
		Doc: "A bucket.\n\nIts name is the bucket's name, unless bucket sets another. ovi never empties a bucket: " +
			"one that holds objects must be emptied before it can be deleted.",
		NamePattern: bucketPattern, NameDoc: "lower-case letters, digits, '.' and '-', from 3 to 63 characters",
		Canonical: canonicalS3, CrossCheck: crossChecks(tagTraits{s3: true}, bucketsOnce),
		ReusedIDs: true, Replace: replaceBucket, DataLoss: loseBucket,
		Attrs: []resource.Attribute{
			{
				Name: "bucket", Type: resource.TString, Effect: resource.Replace, Pattern: bucketPattern, Valid: bucketValue, Example: "acme-assets",
				Doc: "The bucket's name, if it differs from the resource's. Bucket names are unique among all AWS accounts.",
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
				Doc: "How new objects are encrypted by default.",
			},
			{Name: "kms_key", Type: resource.TString, Example: "alias/assets", Max: bound(2048), Doc: "The key for encryption aws:kms. If omitted, AWS's managed key."},
			{
				Name: ownershipAttr, Type: resource.TString, Enum: []string{"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"}, Example: "BucketOwnerEnforced",
				Doc: "Who owns the objects that others write, and whether access lists apply: with BucketOwnerEnforced, the bucket's owner and none. If omitted, a new bucket has that.",
			},
			{
				Name: policyAttr, Type: resource.TString, Valid: validBucketPolicy, Fits: samePolicy, Max: bound(20480), Example: "${file:bucket.json}",
				Doc: "Who may do what in it, as JSON. Policies are compared by what they mean. An empty one removes the policy that it has.",
			},
			lifecycleSchema(),
			corsSchema(),
		},
	}
}
