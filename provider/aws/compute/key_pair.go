package compute

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindKeyPair is the kind key_pair.
	KindKeyPair = "key_pair"
	publicKey   = "public_key"
)

// keyPairName is the form of names in AWS.
const keyPairName = `[A-Za-z0-9][A-Za-z0-9@+=,._-]{0,254}`

// kindOfKeyPair is the kind key_pair. Its ID is the name, by which instances refer to it; tags and
// deletes use the ID of EC2, which is its UID.
func kindOfKeyPair() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindKeyPair,
			Doc: "The public SSH key that instances are given when they are created.\n\n" +
				"Its name is its name in AWS, unless identifier sets another. " +
				"It is imported: ovi never has the private key. An instance\n" +
				"refers to it with `key_name: ops`. The key stays on the instances that have it,\n" +
				"even if the key pair is deleted.",
			NamePattern: keyPairName,
			NameDoc:     "letters, digits and @ + = , . _ -, starting with a letter or digit, at most 255 characters",
			Canonical:   canonicalKeyPair, CrossCheck: api.CrossChecks(api.TagTraits{}),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("key pair", api.Identifier), HoldsDoc: api.HeldInRegion,
			Attrs: []resource.Attribute{
				api.IdentifierAttr(keyPairName),
				{
					Name: publicKey, Type: resource.TString, Required: true, Effect: resource.Replace, Valid: validKey,
					Example: "ssh-ed25519 AAAAC3Nza... ops@example.com", Note: "instances that refer to it are replaced too",
					Doc: "The key in the form of OpenSSH, as in id_ed25519.pub; ED25519 or RSA. Its comment is not compared. It is " +
						"fixed when an instance is created: to keep the instances, add a key pair of another name.",
				},
				{Name: "type", Type: resource.TString, Computed: true, Doc: "ed25519 or rsa."},
			},
		},
		List: func(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
			all, err := keyPairs(ctx, s.Region, nil)
			return api.ObservedAs(s, all, err, observedKeyPair)
		},
		Read: readKeyPair, Tag: tagKeyPair, Check: checkKeyPair,
		Create: createKeyPair, Update: updateKeyPair, Remove: deleteKeyPair,
		Calls: api.Calls{
			Service:  "ec2",
			Observes: "DescribeKeyPairs",
			Creates:  "ImportKeyPair",
			Deletes:  "DeleteKeyPair",
		},
	}
}

// validKey: ED25519 and RSA keys ("Create a key pair using a third-party tool and import the public
// key"). The key names its own type, so that half a line is found here and not by AWS.
func validKey(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	const suggestion = "use the content of a file such as ~/.ssh/id_ed25519.pub"
	parts := strings.Fields(string(s))
	switch {
	case strings.Contains(string(s), "PRIVATE KEY"):
		return api.WrongValue(suggestion, "this is a private key")
	case len(parts) < 2:
		return api.WrongValue(suggestion, "public_key is not in the form of OpenSSH")
	case parts[0] != "ssh-ed25519" && parts[0] != "ssh-rsa":
		return api.WrongValue("use ssh-ed25519 or ssh-rsa", "AWS does not accept keys of the type %q", parts[0])
	}
	blob, err := base64.StdEncoding.DecodeString(parts[1])
	const size = 4 // of the length before the name of the type (RFC 4253, section 6.6)
	if err != nil || len(blob) < size || !strings.HasPrefix(string(blob[size:]), parts[0]) ||
		binary.BigEndian.Uint32(blob) != uint32(len(parts[0])) {
		return api.WrongValue(suggestion, "public_key is not a whole %s key", parts[0])
	}
	return nil
}

// canonicalKeyPair drops the comment: AWS reports the name there.
func canonicalKeyPair(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, publicKey); ok {
		a = a.With(publicKey, resource.String(plainKey(s)))
	}
	return a, nil
}

// plainKey is a public key without its comment.
func plainKey(s string) string {
	parts := strings.Fields(s)
	return strings.Join(parts[:min(len(parts), 2)], " ")
}

// keyPairs reads the key pairs of names, or all: DescribeKeyPairs has no pages. The public key is
// in the answer only on request.
func keyPairs(ctx context.Context, g *api.Region, names []string) ([]types.KeyPairInfo, error) {
	out, err := g.EC2.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{KeyNames: names, IncludePublicKey: aws.Bool(true)})
	if err != nil {
		return nil, api.Classify("", err)
	}
	return out.KeyPairs, nil
}

// observedKeyPair converts an answer of EC2. The name is the ID; the key pair's own ID is the UID,
// because it differs if a key pair is deleted and imported again under its name.
func observedKeyPair(g *api.Region, k types.KeyPairInfo) resource.Observed {
	o := resource.Observed{ID: aws.ToString(k.KeyName), UID: aws.ToString(k.KeyPairId), Health: resource.Healthy}
	a := api.Attrs{}
	if s := plainKey(aws.ToString(k.PublicKey)); s != "" {
		a[publicKey] = resource.String(s)
	}
	if k.KeyType != "" {
		a["type"] = resource.String(k.KeyType)
	}
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindKeyPair, o.ID, api.TagsOf(k.Tags))
	return o
}

func readKeyPair(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	all, err := keyPairs(ctx, g, []string{id})
	k, err := api.Only(all, err, "ec2.DescribeKeyPairs", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedKeyPair(g, k), nil
}

// tagKeyPair finds the ID, by which EC2 tags.
func tagKeyPair(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	o, err := readKeyPair(ctx, g, id)
	if err != nil {
		return err
	}
	return api.TagEC2(ctx, g, o.UID, set, drop)
}

// orderKeyPair returns the parameters of ImportKeyPair. Only the public key is sent: "The private
// key is never transferred between you and Amazon Web Services" (Amazon EC2 API Reference,
// ImportKeyPair).
func orderKeyPair(r provider.Request) *ec2.ImportKeyPairInput {
	key, _ := api.Text(r.Desired.Attrs, publicKey)
	return &ec2.ImportKeyPairInput{KeyName: aws.String(api.Named(&r.Desired)), PublicKeyMaterial: []byte(key)}
}

// checkKeyPair: the key pair to be replaced has the name of the new one.
func checkKeyPair(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs) {
		return nil
	}
	in := orderKeyPair(r)
	in.DryRun = aws.Bool(true)
	_, err := g.EC2.ImportKeyPair(ctx, in)
	switch {
	case !api.HasCode(err, "InvalidKeyPair.Duplicate"):
		return api.DryRun(err)
	case r.Have.ID == api.Named(&r.Desired):
		return nil
	}
	return keyPairTaken(ctx, g, r, err)
}

// createKeyPair relies on the name: ImportKeyPair has no token. A key pair of the name that has the
// key of the request was created by an earlier call, whose answer was lost.
func createKeyPair(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	in := orderKeyPair(r)
	in.TagSpecifications = []types.TagSpecification{api.Born(types.ResourceTypeKeyPair, g.BirthTags(r, false))}
	_, err := g.EC2.ImportKeyPair(ctx, in)
	if api.HasCode(err, "InvalidKeyPair.Duplicate") {
		err = keyPairTaken(ctx, g, r, err)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	var o resource.Observed
	// An instance that names the key pair may be created next, so EC2 must show it.
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the key pair "+api.Named(&r.Desired), func(ctx context.Context) (err error) {
		o, err = readKeyPair(ctx, g, api.Named(&r.Desired))
		return err
	})
	return o, err
}

// keyPairTaken is nil if the key pair that has the name was created by this request.
func keyPairTaken(ctx context.Context, g *api.Region, r provider.Request, refused error) error {
	o, err := readKeyPair(ctx, g, api.Named(&r.Desired))
	switch {
	case err != nil:
		return errors.Join(api.Classify("", refused), err)
	case r.Key != "" && o.Marks.Key == r.Key:
		return nil
	}
	return api.Taken(o, r)
}

// updateKeyPair has nothing to do but the tags, which are written already.
func updateKeyPair(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return readKeyPair(ctx, g, r.Have.ID)
}

// deleteKeyPair names the ID, so that another key pair that got the name is not deleted. AWS accepts
// the call for one that does not exist.
func deleteKeyPair(ctx context.Context, g *api.Region, r provider.Request) error {
	in := &ec2.DeleteKeyPairInput{KeyPairId: aws.String(r.Have.UID)}
	if r.Have.UID == "" {
		in = &ec2.DeleteKeyPairInput{KeyName: aws.String(r.Have.ID)}
	}
	_, err := g.EC2.DeleteKeyPair(ctx, in)
	if err = api.Classify("", err); api.Absent(err) {
		return nil
	}
	return err
}
