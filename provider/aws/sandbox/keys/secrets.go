package keys

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func secretActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateSecret": createKept, "DescribeSecret": describeKept, "ListSecrets": listKept, "UpdateSecret": updateKept,
		"DeleteSecret": deleteKept, "RestoreSecret": restoreKept, "TagResource": tagKept, "UntagResource": untagKept,
		"GetRandomPassword": randomPassword,
	}
}

var secretName = wire.Late(`^[A-Za-z0-9/_+=.@-]{1,512}$`)

// keptNamed finds a secret by its name or its ARN.
func keptNamed(x *core.Exchange) (*kept, error) {
	var in struct{ SecretID string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if k, ok := core.Find[*kept](x.Tx, x.Region, in.SecretID); ok {
		return k, nil
	}
	for _, k := range core.List[*kept](x.Tx, x.Region) {
		if k.ARN == in.SecretID {
			return k, nil
		}
	}
	return nil, wire.Failf("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
}

// fingerprint tells values apart without keeping them.
func fingerprint(x *core.Exchange, value string) string {
	sum := sha256.Sum256([]byte(x.Tx.St.Salt + "|" + value))
	return hex.EncodeToString(sum[:])
}

// createKept: a token makes one version once, and a name is taken until its recovery window is over (Secrets Manager
// API reference: CreateSecret).
func createKept(x *core.Exchange) (any, error) {
	var in struct {
		Name, Description, KmsKeyID, SecretString, ClientRequestToken string
		Tags                                                          []core.JSONTag
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if !secretName.MatchString(in.Name) {
		return nil, wire.Failf("ValidationException",
			"Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!")
	}
	if old, there := core.Find[*kept](x.Tx, x.Region, in.Name); there {
		switch {
		case !old.Deleted.IsZero():
			return nil, wire.Failf("InvalidRequestException",
				"You can't create this secret because a secret with this name is already scheduled for deletion.")
		case old.Token == in.ClientRequestToken && old.Digest == fingerprint(x, in.SecretString):
			return viewShort(old), nil
		}
		return nil, wire.Failf("ResourceExistsException", "The operation failed because the secret %s already exists.",
			in.Name)
	}
	tags := core.PlainTags(in.Tags)
	if err := core.CheckTags(tags); err != nil {
		return nil, err
	}
	k := &kept{
		Base: x.Tx.Named(in.Name, x.Region), About: in.Description, KMS: in.KmsKeyID, Token: in.ClientRequestToken,
		Digest: fingerprint(x, in.SecretString),
	}
	k.ARN = "arn:aws:secretsmanager:" + x.Region + ":" + wire.Account + ":secret:" + in.Name + "-" +
		x.Tx.St.Hex("kept", k.Seq)[1:7]
	k.Tags = tags
	x.Tx.Put(k)
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
	Tags        []core.JSONTag
}

func viewKept(k *kept) jsonSecret {
	out := jsonSecret{
		ARN: k.ARN, Name: k.ID, Description: k.About, KmsKeyID: k.KMS, CreatedDate: wire.Seconds(k.Made),
		Tags: core.JSONTags(k.Tags),
	}
	if !k.Deleted.IsZero() {
		out.DeletedDate = wire.Seconds(k.Deleted)
	}
	return out
}

func describeKept(x *core.Exchange) (any, error) {
	k, err := keptNamed(x)
	if err != nil {
		return nil, err
	}
	return viewKept(k), nil
}

func listKept(x *core.Exchange) (any, error) {
	var in struct {
		MaxResults             int
		NextToken              string
		IncludePlannedDeletion bool
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(core.List[*kept](x.Tx, x.Region), func(k *kept) bool {
		return !k.Deleted.IsZero() && !in.IncludePlannedDeletion
	})
	const most = 100
	rows, next, err := core.JSONPage(all, in.NextToken, in.MaxResults, most,
		wire.Failf("InvalidNextTokenException", "The NextToken value is invalid."))
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
func usableKept(x *core.Exchange) (*kept, error) {
	k, err := keptNamed(x)
	if err == nil && !k.Deleted.IsZero() {
		err = wire.Failf("InvalidRequestException",
			"You can't perform this operation on the secret because it was marked for deletion.")
	}
	return k, err
}

func updateKept(x *core.Exchange) (any, error) {
	var in struct{ Description, KmsKeyID, SecretString, ClientRequestToken string }
	if err := x.Body(&in); err != nil {
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
	x.Tx.Put(&n)
	return viewShort(&n), nil
}

func deleteKept(x *core.Exchange) (any, error) {
	var in struct {
		RecoveryWindowInDays       int
		ForceDeleteWithoutRecovery bool
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	k, err := keptNamed(x)
	switch {
	case err != nil:
		return nil, err
	case in.ForceDeleteWithoutRecovery && in.RecoveryWindowInDays != 0:
		return nil, wire.Failf("InvalidParameterException",
			"You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.")
	case in.ForceDeleteWithoutRecovery:
		x.Tx.Drop(k)
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
		return nil, wire.Failf("InvalidParameterException",
			"The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).")
	}
	n := *k
	n.Deleted = x.Now.Add(time.Duration(days) * 24 * time.Hour)
	x.Tx.Put(&n)
	return struct {
		ARN, Name    string
		DeletionDate float64
	}{k.ARN, k.ID, wire.Seconds(n.Deleted)}, nil
}

func restoreKept(x *core.Exchange) (any, error) {
	k, err := keptNamed(x)
	if err != nil {
		return nil, err
	}
	n := *k
	n.Deleted = time.Time{}
	x.Tx.Put(&n)
	return struct{ ARN, Name string }{k.ARN, k.ID}, nil
}

func tagKept(x *core.Exchange) (any, error) {
	var in struct{ Tags []core.JSONTag }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	k, err := usableKept(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(k, func(have map[string]string) { maps.Copy(have, core.PlainTags(in.Tags)) })
}

func untagKept(x *core.Exchange) (any, error) {
	var in struct{ TagKeys []string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	k, err := usableKept(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(k, func(have map[string]string) { without(have, in.TagKeys) })
}

// randomPassword keeps nothing (Secrets Manager API reference: GetRandomPassword).
func randomPassword(x *core.Exchange) (any, error) {
	var in struct {
		PasswordLength     int
		ExcludeCharacters  string
		ExcludePunctuation bool
	}
	if err := x.Body(&in); err != nil {
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
		return nil, wire.Failf("InvalidParameterException",
			"Password length is out of range, or all characters are excluded.")
	}
	out := make([]byte, n)
	_, _ = rand.Read(out) // never fails (crypto/rand)
	for i := range out {
		out[i] = letters[int(out[i])%len(letters)]
	}
	return struct{ RandomPassword string }{string(out)}, nil
}
