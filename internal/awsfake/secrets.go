package awsfake

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"
)

func secretActions() map[string]handler {
	return map[string]handler{
		"CreateSecret": createKept, "DescribeSecret": describeKept, "ListSecrets": listKept, "UpdateSecret": updateKept,
		"DeleteSecret": deleteKept, "RestoreSecret": restoreKept, "TagResource": tagKept, "UntagResource": untagKept,
		"GetRandomPassword": randomPassword,
	}
}

var secretName = late(`^[A-Za-z0-9/_+=.@-]{1,512}$`)

func noSecret() error {
	return failf("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
}

// keptOf finds a secret by its name or its ARN.
func keptOf(x *exchange, id string) (*kept, error) {
	if k, ok := find[*kept](x.tx, x.Region, id); ok {
		return k, nil
	}
	for _, k := range list[*kept](x.tx, x.Region) {
		if k.ARN == id {
			return k, nil
		}
	}
	return nil, noSecret()
}

func keptNamed(x *exchange) (*kept, error) {
	var in struct{ SecretID string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	return keptOf(x, in.SecretID)
}

// fingerprint tells values apart without keeping them.
func fingerprint(x *exchange, value string) string {
	sum := sha256.Sum256([]byte(x.tx.st.salt + "|" + value))
	return hex.EncodeToString(sum[:])
}

// createKept: a token makes one version once, and a name is taken until its recovery window is over (Secrets Manager
// API reference: CreateSecret).
func createKept(x *exchange) (any, error) {
	var in struct {
		Name, Description, KmsKeyID, SecretString, ClientRequestToken string
		Tags                                                          []jsonTag
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if !secretName.MatchString(in.Name) {
		return nil, failf("ValidationException", "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!")
	}
	if old, there := find[*kept](x.tx, x.Region, in.Name); there {
		switch {
		case !old.Deleted.IsZero():
			return nil, failf("InvalidRequestException", "You can't create this secret because a secret with this name is already scheduled for deletion.")
		case old.Token == in.ClientRequestToken && old.Digest == fingerprint(x, in.SecretString):
			return viewShort(old), nil
		}
		return nil, failf("ResourceExistsException", "The operation failed because the secret %s already exists.", in.Name)
	}
	tags := plainTags(in.Tags)
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	k := &kept{base: x.tx.named(in.Name, x.Region), About: in.Description, KMS: in.KmsKeyID, Token: in.ClientRequestToken, Digest: fingerprint(x, in.SecretString)}
	k.ARN = "arn:aws:secretsmanager:" + x.Region + ":" + Account + ":secret:" + in.Name + "-" + x.tx.st.hex("kept", k.Seq)[1:7]
	k.Tags = tags
	x.tx.put(k)
	return viewShort(k), nil
}

func viewShort(k *kept) any {
	return struct {
		ARN, Name string
		VersionID string `json:"VersionId,omitempty"`
	}{k.ARN, k.ID, k.Token}
}

type jsonSecret struct {
	ARN, Name   string
	Description string  `json:",omitempty"`
	KmsKeyID    string  `json:"KmsKeyId,omitempty"`
	CreatedDate float64 `json:",omitempty"`
	DeletedDate float64 `json:",omitempty"`
	Tags        []jsonTag
}

func viewKept(k *kept) jsonSecret {
	out := jsonSecret{ARN: k.ARN, Name: k.ID, Description: k.About, KmsKeyID: k.KMS, CreatedDate: seconds(k.Made), Tags: jsonTags(k.Tags)}
	if !k.Deleted.IsZero() {
		out.DeletedDate = seconds(k.Deleted)
	}
	return out
}

func describeKept(x *exchange) (any, error) {
	k, err := keptNamed(x)
	if err != nil {
		return nil, err
	}
	return viewKept(k), nil
}

func listKept(x *exchange) (any, error) {
	var in struct {
		MaxResults             int
		NextToken              string
		IncludePlannedDeletion bool
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(list[*kept](x.tx, x.Region), func(k *kept) bool { return !k.Deleted.IsZero() && !in.IncludePlannedDeletion })
	const most = 100
	rows, next, err := jsonPage(all, in.NextToken, in.MaxResults, most, failf("InvalidNextTokenException", "The NextToken value is invalid."))
	if err != nil {
		return nil, err
	}
	out := struct {
		SecretList []jsonSecret
		NextToken  *string `json:",omitempty"`
	}{[]jsonSecret{}, next}
	for _, k := range rows {
		out.SecretList = append(out.SecretList, viewKept(k))
	}
	return out, nil
}

// usableKept: a secret that is to be deleted takes no change (InvalidRequestException).
func usableKept(x *exchange) (*kept, error) {
	k, err := keptNamed(x)
	if err == nil && !k.Deleted.IsZero() {
		err = failf("InvalidRequestException", "You can't perform this operation on the secret because it was marked for deletion.")
	}
	return k, err
}

func updateKept(x *exchange) (any, error) {
	var in struct{ Description, KmsKeyID, SecretString, ClientRequestToken string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	k, err := usableKept(x)
	if err != nil {
		return nil, err
	}
	n := *k
	n.About, n.KMS = cmp.Or(in.Description, k.About), cmp.Or(in.KmsKeyID, k.KMS)
	if in.SecretString != "" {
		n.Token, n.Digest = in.ClientRequestToken, fingerprint(x, in.SecretString)
	}
	x.tx.put(&n)
	return viewShort(&n), nil
}

func deleteKept(x *exchange) (any, error) {
	var in struct {
		RecoveryWindowInDays       int
		ForceDeleteWithoutRecovery bool
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	k, err := keptNamed(x)
	switch {
	case err != nil:
		return nil, err
	case in.ForceDeleteWithoutRecovery && in.RecoveryWindowInDays != 0:
		return nil, failf("InvalidParameterException", "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.")
	case in.ForceDeleteWithoutRecovery:
		x.tx.drop(k)
		return struct{ ARN, Name string }{k.ARN, k.ID}, nil
	}
	if k, err = usableKept(x); err != nil {
		return nil, err
	}
	days := in.RecoveryWindowInDays
	if days == 0 {
		days = 30
	}
	if days < 7 || days > 30 {
		return nil, failf("InvalidParameterException", "The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).")
	}
	n := *k
	n.Deleted = x.now.Add(time.Duration(days) * 24 * time.Hour)
	x.tx.put(&n)
	return struct {
		ARN, Name    string
		DeletionDate float64
	}{k.ARN, k.ID, seconds(n.Deleted)}, nil
}

func restoreKept(x *exchange) (any, error) {
	k, err := keptNamed(x)
	if err != nil {
		return nil, err
	}
	n := *k
	n.Deleted = time.Time{}
	x.tx.put(&n)
	return struct{ ARN, Name string }{k.ARN, k.ID}, nil
}

func tagKept(x *exchange) (any, error) {
	var in struct{ Tags []jsonTag }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	k, err := usableKept(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.changeTags(k, func(have map[string]string) { maps.Copy(have, plainTags(in.Tags)) })
}

func untagKept(x *exchange) (any, error) {
	var in struct{ TagKeys []string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	k, err := usableKept(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.changeTags(k, func(have map[string]string) { without(have, in.TagKeys) })
}

// randomPassword keeps nothing (Secrets Manager API reference: GetRandomPassword).
func randomPassword(x *exchange) (any, error) {
	var in struct {
		PasswordLength     int
		ExcludeCharacters  string
		ExcludePunctuation bool
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if !in.ExcludePunctuation {
		letters += "!#$%&()*+,-.:;<=>?[]^_{|}~"
	}
	letters = strings.Map(func(r rune) rune {
		if strings.ContainsRune(in.ExcludeCharacters, r) {
			return -1
		}
		return r
	}, letters)
	n := in.PasswordLength
	if n == 0 {
		n = 32
	}
	if n < 4 || n > 4096 || letters == "" {
		return nil, failf("InvalidParameterException", "Password length is out of range, or all characters are excluded.")
	}
	out := make([]byte, n)
	_, _ = rand.Read(out) // never fails (crypto/rand)
	for i := range out {
		out[i] = letters[int(out[i])%len(letters)]
	}
	return struct{ RandomPassword string }{string(out)}, nil
}
