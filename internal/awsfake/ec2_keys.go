package awsfake

import (
	"crypto/md5" // AWS's own fingerprint of an imported key
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"
)

type xmlKey struct {
	ID          string    `xml:"keyPairId"`
	Name        string    `xml:"keyName"`
	Fingerprint string    `xml:"keyFingerprint"`
	Type        string    `xml:"keyType"`
	Made        time.Time `xml:"createTime"`
	Public      *string   `xml:"publicKey"`
	Tags        []xmlTag  `xml:"tagSet>item"`
}

// importKey keeps a public key (EC2 API reference: ImportKeyPair). The sandbox creates no private keys.
func importKey(x *exchange) (any, error) {
	name := x.p.str("KeyName")
	material, err := base64.StdEncoding.DecodeString(x.p.str("PublicKeyMaterial"))
	if err != nil || len(material) == 0 {
		return nil, failf("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
	}
	if name == "" {
		return nil, missing("KeyName")
	}
	if _, there := find[*keyPair](x.tx, x.Region, name); there {
		return nil, failf("InvalidKeyPair.Duplicate", "The keypair already exists")
	}
	tags, err := x.specTags("key-pair")
	if err != nil {
		return nil, err
	}
	sum := md5.Sum(material)
	line := strings.Fields(string(material))
	if len(line) < 2 || !strings.HasPrefix(line[0], "ssh-") {
		return nil, failf("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
	}
	k := &keyPair{base: x.tx.named(name, x.Region), Pair: x.tx.fresh("key-", x.Region).ID, Type: "rsa"}
	k.Fingerprint = strings.Trim(spaced(hex.EncodeToString(sum[:])), ":")
	if strings.HasPrefix(string(material), "ssh-ed25519") {
		k.Type = "ed25519"
	}
	k.Public, k.Tags = line[0]+" "+line[1], tags
	x.tx.put(k)
	return viewKey(k, false), nil
}

// viewKey shows the public key only where it is asked for, with the name as its comment (EC2 API
// reference: DescribeKeyPairs, IncludePublicKey).
func viewKey(k *keyPair, public bool) xmlKey {
	out := xmlKey{ID: k.Pair, Name: k.ID, Fingerprint: k.Fingerprint, Type: k.Type, Made: k.Made, Tags: tagSet(k.Tags)}
	if line := k.Public + " " + k.ID + "\n"; public && k.Public != "" {
		out.Public = &line
	}
	return out
}

// keyPairOf finds a key pair by its ID, where others are found by their name.
func keyPairOf(x *exchange, id string) (entity, error) {
	for _, k := range list[*keyPair](x.tx, x.Region) {
		if k.Pair == id {
			return k, nil
		}
	}
	return nil, failf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", id)
}

func spaced(h string) string {
	var b strings.Builder
	for i := 0; i+2 <= len(h); i += 2 {
		b.WriteString(h[i:i+2] + ":")
	}
	return b.String()
}

func describeKeys(x *exchange) (any, error) {
	all, err := named[*keyPair](x, "KeyName", "InvalidKeyPair.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(k *keyPair, name string) ([]string, bool) {
		switch name {
		case "key-name":
			return one(k.ID)
		case "key-pair-id":
			return one(k.Pair)
		case "fingerprint":
			return one(k.Fingerprint)
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	var out []xmlKey
	public := x.p.yes("IncludePublicKey")
	for _, k := range all {
		out = append(out, viewKey(k, public))
	}
	return struct {
		Set []xmlKey `xml:"keySet>item"`
	}{out}, nil
}

// deleteKey: deleting a key pair that does not exist is accepted (EC2 API reference:
// DeleteKeyPair).
func deleteKey(x *exchange) (any, error) {
	if id := x.p.str("KeyPairId"); id != "" {
		if k, err := keyPairOf(x, id); err == nil {
			x.tx.drop(k)
		}
		return success{Return: true}, nil
	}
	if k, ok := find[*keyPair](x.tx, x.Region, x.p.str("KeyName")); ok {
		x.tx.drop(k)
	}
	return success{Return: true}, nil
}
