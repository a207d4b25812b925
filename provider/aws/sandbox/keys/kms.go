package keys

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func kmsActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateKey": createKey, "DescribeKey": describeKey, "ListKeys": listKeys, "UpdateKeyDescription": redescribeKey,
		"EnableKey": powerKey, "DisableKey": powerKey, "ScheduleKeyDeletion": scheduleKey, "CancelKeyDeletion": cancelKey,
		"EnableKeyRotation": rotateKey, "DisableKeyRotation": rotateKey, "GetKeyRotationStatus": keyRotation,
		"GetKeyPolicy": getKeyPolicy, "PutKeyPolicy": putKeyPolicy,
		"TagResource": tagKMS, "UntagResource": untagKMS, "ListResourceTags": listKMSTags,
		"CreateAlias": createAlias, "UpdateAlias": updateAlias, "DeleteAlias": deleteAlias, "ListAliases": listAliases,
	}
}

// keyPolicy is the policy of a key that is created without one: those of IAM decide ("Default key policy").
const keyPolicy = `{"Version":"2012-10-17","Id":"key-default-1","Statement":[{"Sid":"Enable IAM User Permissions",` +
	`"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::` + wire.Account + `:root"},` +
	`"Action":"kms:*","Resource":"*"}]}`

type keyTag struct{ TagKey, TagValue string }

func keyTags(tags map[string]string) []keyTag {
	out := []keyTag{}
	for _, t := range core.TagSet(tags) {
		out = append(out, keyTag{t.Key, t.Value})
	}
	return out
}

// KeyARN is the ARN of a key.
func KeyARN(x *core.Exchange, id string) string {
	return "arn:aws:kms:" + x.Region + ":" + wire.Account + ":key/" + id
}

type jsonKey struct {
	KeyID                string `json:"KeyId"`
	Arn, AWSAccountID    string
	CreationDate         float64
	DeletionDate         float64 `json:",omitempty"`
	Description          string
	Enabled              bool
	KeyState             string
	KeyManager, KeyUsage string
	KeySpec, Origin      string
}

func viewKMS(x *core.Exchange, k *kmsKey) jsonKey {
	out := jsonKey{
		KeyID: k.ID, Arn: KeyARN(x, k.ID), AWSAccountID: wire.Account, CreationDate: wire.Seconds(k.Made),
		Description: k.About, KeyState: "Enabled",
		KeyManager: "CUSTOMER", KeyUsage: "ENCRYPT_DECRYPT", KeySpec: "SYMMETRIC_DEFAULT", Origin: "AWS_KMS",
	}
	switch {
	case !k.Deleted.IsZero():
		out.KeyState, out.DeletionDate = "PendingDeletion", wire.Seconds(k.Deleted)
	case k.Disabled:
		out.KeyState = "Disabled"
	}
	out.Enabled = out.KeyState == "Enabled"
	return out
}

// kmsKeyOf finds the key of a request by its ID or ARN; an alias names none where a call changes it.
func kmsKeyOf(x *core.Exchange) (*kmsKey, error) {
	var in struct{ KeyID string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	return KMSKeyAt(x, in.KeyID)
}

// KMSKeyAt finds a key by its ID, its ARN, or an alias.
func KMSKeyAt(x *core.Exchange, id string) (*kmsKey, error) {
	k, ok := core.Find[*kmsKey](x.Tx, x.Region, strings.TrimPrefix(id, KeyARN(x, "")))
	if !ok {
		return nil, wire.Failf("NotFoundException", "Key '%s' does not exist", KeyARN(x, id))
	}
	return k, nil
}

// usableKey: a key that is to be deleted takes no change (KMS developer guide: "Key states of AWS KMS keys").
func usableKey(x *core.Exchange) (*kmsKey, error) {
	k, err := kmsKeyOf(x)
	if err == nil && !k.Deleted.IsZero() {
		err = wire.Failf("KMSInvalidStateException", "%s is pending deletion.", KeyARN(x, k.ID))
	}
	return k, err
}

func changeKey(x *core.Exchange, change func(*kmsKey) error) (any, error) {
	k, err := usableKey(x)
	if err != nil {
		return nil, err
	}
	n := *k
	if err := change(&n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func validPolicy(s string) error {
	var doc struct{ Statement []struct{ Principal any } }
	if json.Unmarshal([]byte(s), &doc) != nil || len(doc.Statement) == 0 {
		return wire.Failf("MalformedPolicyDocumentException", "This policy contains invalid Json")
	}
	for _, st := range doc.Statement {
		if st.Principal == nil {
			return wire.Failf("MalformedPolicyDocumentException", "Missing required field Principal")
		}
	}
	return nil
}

func createKey(x *core.Exchange) (any, error) {
	var in struct {
		Description, Policy string
		Tags                []keyTag
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if in.Policy != "" {
		if err := validPolicy(in.Policy); err != nil {
			return nil, err
		}
	}
	tags := map[string]string{}
	for _, t := range in.Tags {
		tags[t.TagKey] = t.TagValue
	}
	if err := core.CheckTags(tags); err != nil {
		return nil, err
	}
	k := &kmsKey{Base: x.Tx.Fresh("", x.Region), About: in.Description, Policy: cmp.Or(in.Policy, keyPolicy)}
	h := x.Tx.St.Hex("kms", k.Seq)
	k.ID = h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
	k.Tags = tags
	x.Tx.Put(k)
	return struct{ KeyMetadata jsonKey }{viewKMS(x, k)}, nil
}

func describeKey(x *core.Exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ KeyMetadata jsonKey }{viewKMS(x, k)}, nil
}

type jsonList struct {
	Limit  int
	Marker string
}

func listKeys(x *core.Exchange) (any, error) {
	var in jsonList
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	const most = 100
	rows, next, err := core.JSONPage(core.List[*kmsKey](x.Tx, x.Region), in.Marker, in.Limit, most,
		wire.Failf("InvalidMarkerException", "The marker is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct {
		KeyID  string `json:"KeyId"`
		KeyArn string
	}
	keys := []row{}
	for _, k := range rows {
		keys = append(keys, row{k.ID, KeyARN(x, k.ID)})
	}
	return struct {
		Keys       []row
		NextMarker *string `json:",omitempty"`
		Truncated  bool
	}{keys, next, next != nil}, nil
}

func redescribeKey(x *core.Exchange) (any, error) {
	var in struct{ Description string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error { k.About = in.Description; return nil })
}

func powerKey(x *core.Exchange) (any, error) {
	return changeKey(x, func(k *kmsKey) error { k.Disabled = x.Action == "DisableKey"; return nil })
}

func scheduleKey(x *core.Exchange) (any, error) {
	var in struct{ PendingWindowInDays int }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	days := in.PendingWindowInDays
	if days == 0 {
		days = 30
	}
	if days < 7 || days > 30 {
		return nil, wire.Failf("ValidationException",
			"Value '%d' at 'pendingWindowInDays' failed to satisfy constraint: Member must be between 7 and 30", days)
	}
	out := struct {
		KeyID        string `json:"KeyId"`
		DeletionDate float64
		KeyState     string
	}{KeyState: "PendingDeletion"}
	_, err := changeKey(x, func(k *kmsKey) error {
		k.Deleted = x.Now.Add(time.Duration(days) * 24 * time.Hour)
		out.KeyID, out.DeletionDate = KeyARN(x, k.ID), wire.Seconds(k.Deleted)
		return nil
	})
	return out, err
}

// cancelKey leaves the key disabled (KMS API reference: CancelKeyDeletion).
func cancelKey(x *core.Exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	if k.Deleted.IsZero() {
		return nil, wire.Failf("KMSInvalidStateException", "%s is not pending deletion.", KeyARN(x, k.ID))
	}
	n := *k
	n.Deleted, n.Disabled = time.Time{}, true
	x.Tx.Put(&n)
	return struct {
		KeyID string `json:"KeyId"`
	}{KeyARN(x, k.ID)}, nil
}

func rotateKey(x *core.Exchange) (any, error) {
	var in struct{ RotationPeriodInDays int }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error {
		switch {
		case k.Disabled:
			return wire.Failf("DisabledException", "%s is disabled.", KeyARN(x, k.ID))
		case in.RotationPeriodInDays != 0 && (in.RotationPeriodInDays < 90 || in.RotationPeriodInDays > 2560):
			return wire.Failf("ValidationException",
				"Value '%d' at 'rotationPeriodInDays' failed to satisfy constraint: Member must be between 90 and 2560",
				in.RotationPeriodInDays)
		}
		k.Rotates = x.Action == "EnableKeyRotation"
		if in.RotationPeriodInDays != 0 {
			k.Days = in.RotationPeriodInDays
		}
		return nil
	})
}

// keyRotation: a key that is to be deleted is not rotated (KMS API reference: GetKeyRotationStatus).
func keyRotation(x *core.Exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	out := struct {
		KeyRotationEnabled   bool
		RotationPeriodInDays int `json:",omitempty"`
	}{KeyRotationEnabled: k.Rotates && k.Deleted.IsZero()}
	if out.KeyRotationEnabled {
		if out.RotationPeriodInDays = k.Days; k.Days == 0 {
			out.RotationPeriodInDays = 365
		}
	}
	return out, nil
}

func getKeyPolicy(x *core.Exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Policy, PolicyName string }{k.Policy, "default"}, nil
}

func putKeyPolicy(x *core.Exchange) (any, error) {
	var in struct{ Policy string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if err := validPolicy(in.Policy); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error { k.Policy = in.Policy; return nil })
}

func tagKMS(x *core.Exchange) (any, error) {
	var in struct{ Tags []keyTag }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	k, err := usableKey(x)
	if err != nil {
		return nil, err
	}
	tags := map[string]string{}
	for _, t := range in.Tags {
		tags[t.TagKey] = t.TagValue
	}
	return struct{}{}, x.ChangeTags(k, func(have map[string]string) { maps.Copy(have, tags) })
}

func untagKMS(x *core.Exchange) (any, error) {
	var in struct{ TagKeys []string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	k, err := usableKey(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(k, func(have map[string]string) { without(have, in.TagKeys) })
}

func listKMSTags(x *core.Exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Tags      []keyTag
		Truncated bool
	}{keyTags(k.Tags), false}, nil
}

var aliasForm = wire.Late(`^alias/[a-zA-Z0-9/_-]{1,250}$`)

func alias(x *core.Exchange) (name string, to *kmsKey, err error) {
	var in struct{ AliasName, TargetKeyID string }
	if err := x.Body(&in); err != nil {
		return "", nil, err
	}
	switch {
	case !aliasForm.MatchString(in.AliasName):
		return "", nil, wire.Failf("InvalidAliasNameException", "Alias must start with the prefix \"alias/\": %s",
			in.AliasName)
	case strings.HasPrefix(in.AliasName, "alias/aws/"):
		return "", nil, wire.Failf("InvalidAliasNameException", "Alias must not start with \"alias/aws/\"")
	case x.Action == "DeleteAlias":
		return in.AliasName, nil, nil
	}
	to, err = KMSKeyAt(x, in.TargetKeyID)
	if err == nil && !to.Deleted.IsZero() {
		err = wire.Failf("KMSInvalidStateException", "%s is pending deletion.", KeyARN(x, to.ID))
	}
	return in.AliasName, to, err
}

func createAlias(x *core.Exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	if a, there := core.Find[*KMSAlias](x.Tx, x.Region, name); there {
		if _, alive := core.Find[*kmsKey](x.Tx, x.Region, a.Key); alive {
			return nil, wire.Failf("AlreadyExistsException", "An alias with the name %s already exists", name)
		}
	}
	x.Tx.Put(&KMSAlias{Base: x.Tx.Named(name, x.Region), Key: to.ID})
	return struct{}{}, nil
}

func updateAlias(x *core.Exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := core.Find[*KMSAlias](x.Tx, x.Region, name)
	if !there {
		return nil, wire.Failf("NotFoundException", "Alias %s is not found.", name)
	}
	n := *a
	n.Key = to.ID
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func deleteAlias(x *core.Exchange) (any, error) {
	name, _, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := core.Find[*KMSAlias](x.Tx, x.Region, name)
	if !there {
		return nil, wire.Failf("NotFoundException", "Alias %s is not found.", name)
	}
	x.Tx.Drop(a)
	return struct{}{}, nil
}

func listAliases(x *core.Exchange) (any, error) {
	var in struct {
		KeyID string
		jsonList
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if in.KeyID != "" {
		if _, err := KMSKeyAt(x, in.KeyID); err != nil {
			return nil, err
		}
	}
	var all []*KMSAlias
	for _, a := range core.List[*KMSAlias](x.Tx, x.Region) {
		if _, alive := core.Find[*kmsKey](x.Tx, x.Region, a.Key); alive && (in.KeyID == "" || a.Key == in.KeyID) {
			all = append(all, a)
		}
	}
	const most = 50
	rows, next, err := core.JSONPage(all, in.Marker, in.Limit, most,
		wire.Failf("InvalidMarkerException", "The marker is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct{ AliasName, TargetKeyId string }
	out := []row{}
	for _, a := range rows {
		out = append(out, row{a.ID, a.Key})
	}
	return struct {
		Aliases    []row
		NextMarker *string `json:",omitempty"`
		Truncated  bool
	}{out, next, next != nil}, nil
}
