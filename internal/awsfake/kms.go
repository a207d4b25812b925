package awsfake

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"
	"time"
)

func kmsActions() map[string]handler {
	return map[string]handler{
		"CreateKey": createKey, "DescribeKey": describeKey, "ListKeys": listKeys, "UpdateKeyDescription": redescribeKey,
		"EnableKey": powerKey, "DisableKey": powerKey, "ScheduleKeyDeletion": scheduleKey, "CancelKeyDeletion": cancelKey,
		"EnableKeyRotation": rotateKey, "DisableKeyRotation": rotateKey, "GetKeyRotationStatus": keyRotation,
		"GetKeyPolicy": getKeyPolicy, "PutKeyPolicy": putKeyPolicy,
		"TagResource": tagKMS, "UntagResource": untagKMS, "ListResourceTags": listKMSTags,
		"CreateAlias": createAlias, "UpdateAlias": updateAlias, "DeleteAlias": deleteAlias, "ListAliases": listAliases,
	}
}

// keyPolicy is the policy of a key that is created without one: those of IAM decide ("Default key policy").
const keyPolicy = `{"Version":"2012-10-17","Id":"key-default-1","Statement":[{"Sid":"Enable IAM User Permissions","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::` + Account + `:root"},"Action":"kms:*","Resource":"*"}]}`

type keyTag struct{ TagKey, TagValue string }

func keyTags(tags map[string]string) []keyTag {
	out := []keyTag{}
	for _, t := range tagSet(tags) {
		out = append(out, keyTag{t.Key, t.Value})
	}
	return out
}

func keyARN(x *exchange, id string) string {
	return "arn:aws:kms:" + x.Region + ":" + Account + ":key/" + id
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

func viewKMS(x *exchange, k *kmsKey) jsonKey {
	out := jsonKey{
		KeyID: k.ID, Arn: keyARN(x, k.ID), AWSAccountID: Account, CreationDate: seconds(k.Made), Description: k.About, KeyState: "Enabled",
		KeyManager: "CUSTOMER", KeyUsage: "ENCRYPT_DECRYPT", KeySpec: "SYMMETRIC_DEFAULT", Origin: "AWS_KMS",
	}
	switch {
	case !k.Deleted.IsZero():
		out.KeyState, out.DeletionDate = "PendingDeletion", seconds(k.Deleted)
	case k.Disabled:
		out.KeyState = "Disabled"
	}
	out.Enabled = out.KeyState == "Enabled"
	return out
}

// kmsKeyOf finds the key of a request by its ID or ARN; an alias names none where a call changes it.
func kmsKeyOf(x *exchange) (*kmsKey, error) {
	var in struct{ KeyID string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	return kmsKeyAt(x, in.KeyID)
}

func kmsKeyAt(x *exchange, id string) (*kmsKey, error) {
	k, ok := find[*kmsKey](x.tx, x.Region, strings.TrimPrefix(id, keyARN(x, "")))
	if !ok {
		return nil, failf("NotFoundException", "Key '%s' does not exist", keyARN(x, id))
	}
	return k, nil
}

// usableKey: a key that is to be deleted takes no change (KMS developer guide: "Key states of AWS KMS keys").
func usableKey(x *exchange) (*kmsKey, error) {
	k, err := kmsKeyOf(x)
	if err == nil && !k.Deleted.IsZero() {
		err = failf("KMSInvalidStateException", "%s is pending deletion.", keyARN(x, k.ID))
	}
	return k, err
}

func changeKey(x *exchange, change func(*kmsKey) error) (any, error) {
	k, err := usableKey(x)
	if err != nil {
		return nil, err
	}
	n := *k
	if err := change(&n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return struct{}{}, nil
}

func validPolicy(s string) error {
	var doc struct{ Statement []struct{ Principal any } }
	if json.Unmarshal([]byte(s), &doc) != nil || len(doc.Statement) == 0 {
		return failf("MalformedPolicyDocumentException", "This policy contains invalid Json")
	}
	for _, st := range doc.Statement {
		if st.Principal == nil {
			return failf("MalformedPolicyDocumentException", "Missing required field Principal")
		}
	}
	return nil
}

func createKey(x *exchange) (any, error) {
	var in struct {
		Description, Policy string
		Tags                []keyTag
	}
	if err := x.body(&in); err != nil {
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
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	k := &kmsKey{base: x.tx.fresh("", x.Region), About: in.Description, Policy: cmp.Or(in.Policy, keyPolicy)}
	h := x.tx.st.hex("kms", k.Seq)
	k.ID = h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
	k.Tags = tags
	x.tx.put(k)
	return struct{ KeyMetadata jsonKey }{viewKMS(x, k)}, nil
}

func describeKey(x *exchange) (any, error) {
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

func listKeys(x *exchange) (any, error) {
	var in jsonList
	if err := x.body(&in); err != nil {
		return nil, err
	}
	const most = 100
	rows, next, err := jsonPage(list[*kmsKey](x.tx, x.Region), in.Marker, in.Limit, most, failf("InvalidMarkerException", "The marker is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct {
		KeyID  string `json:"KeyId"`
		KeyArn string
	}
	keys := []row{}
	for _, k := range rows {
		keys = append(keys, row{k.ID, keyARN(x, k.ID)})
	}
	return struct {
		Keys       []row
		NextMarker *string `json:",omitempty"`
		Truncated  bool
	}{keys, next, next != nil}, nil
}

func redescribeKey(x *exchange) (any, error) {
	var in struct{ Description string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error { k.About = in.Description; return nil })
}

func powerKey(x *exchange) (any, error) {
	return changeKey(x, func(k *kmsKey) error { k.Disabled = x.Action == "DisableKey"; return nil })
}

func scheduleKey(x *exchange) (any, error) {
	var in struct{ PendingWindowInDays int }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	days := in.PendingWindowInDays
	if days == 0 {
		days = 30
	}
	if days < 7 || days > 30 {
		return nil, failf("ValidationException", "Value '%d' at 'pendingWindowInDays' failed to satisfy constraint: Member must be between 7 and 30", days)
	}
	out := struct {
		KeyID        string `json:"KeyId"`
		DeletionDate float64
		KeyState     string
	}{KeyState: "PendingDeletion"}
	_, err := changeKey(x, func(k *kmsKey) error {
		k.Deleted = x.now.Add(time.Duration(days) * 24 * time.Hour)
		out.KeyID, out.DeletionDate = keyARN(x, k.ID), seconds(k.Deleted)
		return nil
	})
	return out, err
}

// cancelKey leaves the key disabled (KMS API reference: CancelKeyDeletion).
func cancelKey(x *exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	if k.Deleted.IsZero() {
		return nil, failf("KMSInvalidStateException", "%s is not pending deletion.", keyARN(x, k.ID))
	}
	n := *k
	n.Deleted, n.Disabled = time.Time{}, true
	x.tx.put(&n)
	return struct {
		KeyID string `json:"KeyId"`
	}{keyARN(x, k.ID)}, nil
}

func rotateKey(x *exchange) (any, error) {
	var in struct{ RotationPeriodInDays int }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error {
		switch {
		case k.Disabled:
			return failf("DisabledException", "%s is disabled.", keyARN(x, k.ID))
		case in.RotationPeriodInDays != 0 && (in.RotationPeriodInDays < 90 || in.RotationPeriodInDays > 2560):
			return failf("ValidationException", "Value '%d' at 'rotationPeriodInDays' failed to satisfy constraint: Member must be between 90 and 2560", in.RotationPeriodInDays)
		}
		k.Rotates = x.Action == "EnableKeyRotation"
		if in.RotationPeriodInDays != 0 {
			k.Days = in.RotationPeriodInDays
		}
		return nil
	})
}

// keyRotation: a key that is to be deleted is not rotated (KMS API reference: GetKeyRotationStatus).
func keyRotation(x *exchange) (any, error) {
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

func getKeyPolicy(x *exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Policy, PolicyName string }{k.Policy, "default"}, nil
}

func putKeyPolicy(x *exchange) (any, error) {
	var in struct{ Policy string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if err := validPolicy(in.Policy); err != nil {
		return nil, err
	}
	return changeKey(x, func(k *kmsKey) error { k.Policy = in.Policy; return nil })
}

func tagKMS(x *exchange) (any, error) {
	var in struct{ Tags []keyTag }
	if err := x.body(&in); err != nil {
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
	return struct{}{}, x.changeTags(k, func(have map[string]string) { maps.Copy(have, tags) })
}

func untagKMS(x *exchange) (any, error) {
	var in struct{ TagKeys []string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	k, err := usableKey(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.changeTags(k, func(have map[string]string) { without(have, in.TagKeys) })
}

func listKMSTags(x *exchange) (any, error) {
	k, err := kmsKeyOf(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Tags      []keyTag
		Truncated bool
	}{keyTags(k.Tags), false}, nil
}
