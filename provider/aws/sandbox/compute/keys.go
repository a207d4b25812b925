package compute

import (
	"crypto/md5" // AWS's own fingerprint of an imported key
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlKey struct {
	ID          string        `xml:"keyPairId"`
	Name        string        `xml:"keyName"`
	Fingerprint string        `xml:"keyFingerprint"`
	Type        string        `xml:"keyType"`
	Made        time.Time     `xml:"createTime"`
	Public      *string       `xml:"publicKey"`
	Tags        []core.XMLTag `xml:"tagSet>item"`
}

// importKey keeps a public key (EC2 API reference: ImportKeyPair). The sandbox creates no private keys.
func importKey(x *core.Exchange) (any, error) {
	name := x.P.Str("KeyName")
	material, err := base64.StdEncoding.DecodeString(x.P.Str("PublicKeyMaterial"))
	if err != nil || len(material) == 0 {
		return nil, wire.Failf("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
	}
	if name == "" {
		return nil, wire.Missing("KeyName")
	}
	if _, there := core.Find[*keyPair](x.Tx, x.Region, name); there {
		return nil, wire.Failf("InvalidKeyPair.Duplicate", "The keypair already exists")
	}
	tags, err := x.SpecTags("key-pair")
	if err != nil {
		return nil, err
	}
	sum := md5.Sum(material)
	line := strings.Fields(string(material))
	if len(line) < 2 || !strings.HasPrefix(line[0], "ssh-") {
		return nil, wire.Failf("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
	}
	k := &keyPair{Base: x.Tx.Named(name, x.Region), Pair: x.Tx.Fresh("key-", x.Region).ID, Type: "rsa"}
	k.Fingerprint = strings.Trim(spaced(hex.EncodeToString(sum[:])), ":")
	if strings.HasPrefix(string(material), "ssh-ed25519") {
		k.Type = "ed25519"
	}
	k.Public, k.Tags = line[0]+" "+line[1], tags
	x.Tx.Put(k)
	return viewKey(k, false), nil
}

// viewKey shows the public key only where it is asked for, with the name as its comment (EC2 API
// reference: DescribeKeyPairs, IncludePublicKey).
func viewKey(k *keyPair, public bool) xmlKey {
	out := xmlKey{
		ID: k.Pair, Name: k.ID, Fingerprint: k.Fingerprint, Type: k.Type, Made: k.Made,
		Tags: core.TagSet(k.Tags),
	}
	if line := k.Public + " " + k.ID + "\n"; public && k.Public != "" {
		out.Public = &line
	}
	return out
}

// keyPairOf finds a key pair by its ID, where others are found by their name.
func keyPairOf(x *core.Exchange, id string) (core.Entity, error) {
	for _, k := range core.List[*keyPair](x.Tx, x.Region) {
		if k.Pair == id {
			return k, nil
		}
	}
	return nil, wire.Failf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", id)
}

func spaced(h string) string {
	var b strings.Builder
	for i := 0; i+2 <= len(h); i += 2 {
		b.WriteString(h[i:i+2] + ":")
	}
	return b.String()
}

func describeKeys(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*keyPair](x, "KeyName", "InvalidKeyPair.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(k *keyPair, name string) ([]string, bool) {
		switch name {
		case "key-name":
			return core.One(k.ID)
		case "key-pair-id":
			return core.One(k.Pair)
		case "fingerprint":
			return core.One(k.Fingerprint)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	var out []xmlKey
	public := x.P.Yes("IncludePublicKey")
	for _, k := range all {
		out = append(out, viewKey(k, public))
	}
	return struct {
		Set []xmlKey `xml:"keySet>item"`
	}{out}, nil
}

// deleteKey: deleting a key pair that does not exist is accepted (EC2 API reference:
// DeleteKeyPair).
func deleteKey(x *core.Exchange) (any, error) {
	if id := x.P.Str("KeyPairId"); id != "" {
		if k, err := keyPairOf(x, id); err == nil {
			x.Tx.Drop(k)
		}
		return ec2.Success{Return: true}, nil
	}
	if k, ok := core.Find[*keyPair](x.Tx, x.Region, x.P.Str("KeyName")); ok {
		x.Tx.Drop(k)
	}
	return ec2.Success{Return: true}, nil
}
