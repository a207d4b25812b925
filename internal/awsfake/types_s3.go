package awsfake

// bucket is an S3 bucket. Its names are one space for every region, so its
// entity has no region; Home is where it lives.
type bucket struct {
	base
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

func (*bucket) kind() string    { return kindBucket }
func (b *bucket) clone() entity { c := *b; return &c }

// object is what makes a bucket not empty. ID is bucket/key.
type object struct {
	base
	Bucket string `json:"bucket"`
	Key    string `json:"key"`
	Type   string `json:"type,omitempty"`
	ETag   string `json:"etag"`
	Data   []byte `json:"data,omitempty"`
}

func (*object) kind() string    { return kindObject }
func (o *object) clone() entity { c := *o; return &c }
