package bucket

import (
	"cmp"
	"fmt"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// bucket is an S3 bucket. Its names are one space for every region, so its
// entity has no region; Home is where it lives.
type bucket struct {
	core.Base
	Home       string     `json:"home"`
	Versioning string     `json:"versioning,omitempty"` // "", Enabled, Suspended
	Block      *blocking  `json:"block,omitempty"`
	Encryption encryption `json:"encryption"`
	Ownership  string     `json:"ownership,omitempty"`
	Policy     string     `json:"policy,omitempty"`
	Lifecycle  *lifecycle `json:"lifecycle,omitempty"`
	CORS       []corsRule `json:"cors,omitempty"`
	Abac       bool       `json:"abac,omitempty"` // access is by its tags
}

// blocking is the public access block.
type blocking struct {
	ACLs     bool `json:"acls" xml:"BlockPublicAcls"`
	Ignore   bool `json:"ignore" xml:"IgnorePublicAcls"`
	Policy   bool `json:"policy" xml:"BlockPublicPolicy"`
	Restrict bool `json:"restrict" xml:"RestrictPublicBuckets"`
}

// encryption is the default encryption of new objects.
type encryption struct {
	Algorithm string `json:"algorithm"`
	Key       string `json:"key,omitempty"`
	BucketKey bool   `json:"bucket_key,omitempty"`
}

// object is what makes a bucket not empty. ID is bucket/key.
type object struct {
	core.Base
	Bucket string `json:"bucket"`
	Key    string `json:"key"`
	Type   string `json:"type,omitempty"`
	ETag   string `json:"etag"`
	Data   []byte `json:"data,omitempty"`
}

func (b *bucket) Show(_ *core.Tx, out *core.Resource) { out.Region, out.Name = b.Home, b.ID }

func (b *bucket) ByHand(h core.Hand, do core.Breakage) (string, error) {
	if do.Do != "delete" {
		return "", core.ErrCannot
	}
	return "", h.Call(b.Home, "s3", "DeleteBucket", map[string]string{"Bucket": b.ID})
}

func (b *bucket) CopyForm(_ core.Hand, do core.Breakage) map[string]string {
	return map[string]string{"Bucket": cmp.Or(do.Value, b.ID+"-copy"), "Region": b.Home}
}

func orderBucket(h core.Hand, region string, form map[string]string) error {
	name := form["Bucket"]
	if !validBucket(name) {
		return fmt.Errorf("sandbox: invalid bucket name %q", name)
	}
	if _, there := core.Find[*bucket](h.Tx, "", name); there {
		return fmt.Errorf("sandbox: bucket %q already exists", name)
	}
	h.Tx.Put(&bucket{
		Base: h.Tx.Named(name, ""), Home: region, Encryption: encryption{Algorithm: "AES256"},
		Block: &blocking{true, true, true, true}, Ownership: "BucketOwnerEnforced",
	})
	return nil
}
