package keys

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindKMS is the kind kms_key.
	KindKMS      = "kms_key"
	rotationAttr = "rotation"
	rotationDays = "rotation_days"
	windowAttr   = "deletion_window"
	aliasPrefix  = "alias/"
)

// kindOfKMS returns the kind kms_key. No attribute has the effect Replace: a new key cannot decrypt
// the data of the old one, so a change of the configuration must not require a new key.
func kindOfKMS() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindKMS,
			Doc: "A key of KMS that encrypts data.\n\n" +
				"A deleted key is kept for its deletion_window, in which it can be restored outside ovi;\n" +
				"after that, nothing that it has encrypted can be read. If you configure a deleted key again,\n" +
				"ovi creates a different key. A key whose deletion was scheduled outside ovi is stopped, and\n" +
				"an apply cancels its deletion. `state: stopped` disables a key. An existing key is adopted\n" +
				"by its ID.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, NameAttr: api.AliasAttr, DataLoss: loseKey,
			State:     resource.StateRunning,
			Canonical: canonicalKMS, CrossCheck: api.CrossChecks(api.TagTraits{IAM: true}, oneAlias),
			Holds: holdsKey, HoldsDoc: "its alias, in a region of an account",
			Attrs: []resource.Attribute{
				{
					Name: api.AliasAttr, Type: resource.TString, Pattern: `(alias/)?[A-Za-z0-9/_-]{1,250}`, Valid: validAlias,
					Example: "web", Doc: "A name by which programs may call it.",
				},
				{
					Name: "description", Type: resource.TString, Max: api.Bound(8192),
					HarmlessDefault: true, CreateDefault: resource.String("Managed by ovi"),
					Example: "of the shop", Doc: "A description.",
				},
				{
					Name: rotationAttr, Type: resource.TBool,
					HarmlessDefault: true, CreateDefault: resource.Bool(true), Example: "false",
					Doc: "Whether AWS gives it new material regularly; what the old one has encrypted stays readable.",
				},
				{
					Name: rotationDays, Type: resource.TInt, Min: api.Bound(90), Max: api.Bound(2560), Unit: "days", Example: "180",
					Doc: "How often. If omitted, every 365 days.",
				},
				{
					Name: network.PolicyAttr, Type: resource.TString, Valid: validKeyPolicy, Fits: api.SamePolicy,
					Max: api.Bound(32768), Example: "${file:key-policy.json}",
					Doc: "Who may use and administer it, as JSON. If omitted, AWS's own: policies of IAM decide.",
				},
				{
					Name: windowAttr, Type: resource.TInt, WriteOnly: true,
					HarmlessDefault: true, Default: resource.Int(30), Min: api.Bound(7),
					Max: api.Bound(30), Unit: "days", Example: "7", Doc: "How long it is kept after it was deleted.",
				},
				{Name: arnAttr, Type: resource.TString, Computed: true, Doc: "Its ARN."},
			},
		},
		List: listKeys, Read: readKey, Tag: tagKMS, Restore: restoreKey, Check: checkKMS,
		Create: createKey, Update: updateKey, Remove: deleteKey,
		Calls: api.Calls{
			Service:  "kms",
			Own:      "key/*",
			Observes: "DescribeKey GetKeyPolicy GetKeyRotationStatus ListAliases ListKeys ListResourceTags",
			Creates:  "CreateKey TagResource",
			Changes: "CancelKeyDeletion CreateAlias DeleteAlias DisableKey DisableKeyRotation EnableKey " +
				"EnableKeyRotation PutKeyPolicy TagResource UntagResource UpdateAlias UpdateKeyDescription",
			Deletes: "ScheduleKeyDeletion",
			Touches: "CreateAlias DeleteAlias UpdateAlias",
		},
	}
}

// loseKey returns the loss that a plan names before a key is deleted. A deletion window has at
// least 7 days, so no deletion is immediate.
func loseKey(resource.Observed, resource.Attrs) string {
	return "the key, and with it all that it has encrypted, once its deletion window is over"
}

// canonicalKMS writes the alias without its prefix, and rejects a period of a rotation that is
// switched off.
// Both spellings of an alias are one name: observations have it without the prefix. A period is
// sent only with EnableKeyRotation, so it would have no effect on a key that is not rotated.
func canonicalKMS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, api.AliasAttr); ok {
		a = a.With(api.AliasAttr, resource.String(strings.TrimPrefix(s, aliasPrefix)))
	}
	if on, set := api.Flag(a, rotationAttr); set && !on {
		if _, days := a.Get(rotationDays); days {
			return a, []resource.Problem{{
				Path: rotationDays, Summary: "the key is not rotated",
				Suggestion: "remove rotation_days, or set rotation: true",
			}}
		}
	}
	return a, nil
}

// holdsKey: the alias is the name that programs call the key by.
// A key without an alias holds nothing.
func holdsKey(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	alias, set := api.Text(a, api.AliasAttr)
	if !set {
		return nil
	}
	return []resource.Hold{{What: "alias", Name: alias, Identity: true}}
}

// validAlias rejects names that AWS reserves for its own keys (AWS KMS API Reference, CreateAlias).
func validAlias(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if strings.HasPrefix(strings.TrimPrefix(string(s), aliasPrefix), "aws/") {
		return api.WrongValue("use another name", "aliases that start with aws/ are AWS's own")
	}
	return nil
}

// validKeyPolicy: the policy of a key names who, and that all of it is about the key.
// AWS KMS API Reference, CreateKey: if a statement has no Resource or Action, "the CreateKey and
// PutKeyPolicy API requests succeed, even though the policy statement is ineffective". The check is
// therefore made with the configuration.
func validKeyPolicy(v resource.Value) []resource.Problem {
	return api.JudgeDocument(v, func(st map[string]any) string {
		if !api.OneOf(st, "Principal", "NotPrincipal") || !api.OneOf(st, "Resource", "NotResource") {
			return `a statement of a key's policy needs a Principal, and the Resource "*"`
		}
		return ""
	})
}

// oneAlias finds two keys with one alias: "Each alias is associated with only one KMS key at a
// time" (AWS KMS API Reference, UpdateAlias).
func oneAlias(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		alias, set := api.Text(d.Attrs, api.AliasAttr)
		key := d.Ref.Location + " " + alias
		if other := first[key]; set && other != nil {
			c.Wrong(d, api.AliasAttr, "use another alias", "duplicate alias %s: kms_key/%s has it too", alias,
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// key is a key with what takes calls of its own.
type key struct {
	types.KeyMetadata
	tags    map[string]string
	aliases []string
	// Whether policy, rotates and days were read. If not, their values mean nothing.
	details bool
	policy  string
	rotates bool
	days    *int32
}

// aliases reads those of all keys, or of one. The names are sorted, so that a key with several
// aliases shows the same one in each observation.
// The result has the aliases by the ID of their key. An alias that AWS has not associated with a
// key is under the empty ID. If the error is not nil, the result may be incomplete.
func aliases(ctx context.Context, g *api.Region, id *string) (map[string][]string, error) {
	all, err := api.Pages(ctx, "kms.ListAliases",
		func(ctx context.Context, token *string) ([]types.AliasListEntry, *string, error) {
			out, err := g.KMS.ListAliases(ctx, &kms.ListAliasesInput{KeyId: id, Marker: token})
			if err != nil {
				return nil, nil, err
			}
			return out.Aliases, out.NextMarker, nil
		})
	out := map[string][]string{}
	for _, a := range all {
		name := strings.TrimPrefix(aws.ToString(a.AliasName), aliasPrefix)
		out[aws.ToString(a.TargetKeyId)] = append(out[aws.ToString(a.TargetKeyId)], name)
	}
	for _, names := range out {
		slices.Sort(names)
	}
	return out, err
}

// listKeys takes two calls for each key, and three more for managed ones. AWS's own keys are omitted.
// If the caller may not read a key, it is listed as unreadable, and the others are not affected.
func listKeys(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := keyIDs(ctx, s.Region)
	if err != nil {
		return nil, err
	}
	named, err := aliases(ctx, s.Region, nil)
	if err != nil {
		return nil, err
	}
	return api.ObserveEach(ctx, all, func(ctx context.Context, id string) (resource.Observed, error) {
		k, err := oneKey(ctx, s.Region, id, named[id], false)
		if err != nil {
			return resource.Observed{}, err
		}
		return observedKey(s.Region, k), nil
	}, func(id string, denied error) resource.Observed {
		o := resource.Observed{ID: id}
		o.SetUnreadable(denied.Error())
		s.Identify(&o, KindKMS, "", nil)
		return o
	})
}

// keyIDs returns the IDs of all keys of the region, keys of AWS included: ListKeys returns neither
// state nor tags.
func keyIDs(ctx context.Context, g *api.Region) ([]string, error) {
	return api.Pages(ctx, "kms.ListKeys", func(ctx context.Context, token *string) ([]string, *string, error) {
		out, err := g.KMS.ListKeys(ctx, &kms.ListKeysInput{Marker: token})
		if err != nil {
			return nil, nil, err
		}
		var ids []string
		for _, k := range out.Keys {
			ids = append(ids, aws.ToString(k.KeyId))
		}
		return ids, out.NextMarker, nil
	})
}

// oneKey reads one. NotFound are those of AWS and those that ovi has deleted. A key that another
// hand has scheduled for deletion is returned: its state differs from the configuration, and an
// apply cancels the deletion. Without whole, policy and rotation are read only for keys with ovi's
// tags.
// The caller reads the aliases of the key, because listKeys reads the aliases of all keys at once.
// The key is returned with its tags even if ovi scheduled its deletion: freeAlias recognizes such a
// key by its tag.
func oneKey(ctx context.Context, g *api.Region, id string, aliases []string, whole bool) (key, error) {
	k := key{aliases: aliases}
	out, err := g.KMS.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: aws.String(id)})
	if err != nil {
		return k, api.Classify("", err)
	}
	k.KeyMetadata = *out.KeyMetadata
	if k.KeyManager == types.KeyManagerTypeAws {
		return k, api.MissingOf("kms.DescribeKey", fmt.Errorf("%s is a key of AWS's own", id))
	}
	tags, err := api.Pages(ctx, "kms.ListResourceTags",
		func(ctx context.Context, token *string) ([]types.Tag, *string, error) {
			out, err := g.KMS.ListResourceTags(ctx, &kms.ListResourceTagsInput{KeyId: aws.String(id), Marker: token})
			if err != nil {
				return nil, nil, err
			}
			return out.Tags, out.NextMarker, nil
		})
	if err != nil {
		return k, err
	}
	k.tags = map[string]string{}
	for _, t := range tags {
		k.tags[aws.ToString(t.TagKey)] = aws.ToString(t.TagValue)
	}
	if api.GoneToOvi(k.tags, k.DeletionDate) {
		return k, api.Scheduled("kms.DescribeKey", id, k.DeletionDate)
	}
	if whole || k.tags[api.TagManaged] == "true" {
		err = keyDetails(ctx, g, &k)
	}
	return k, err
}

// keyDetails adds the policy and the rotation. A key that is to be deleted is not rotated. AWS KMS
// API Reference, EnableKeyRotation: asymmetric keys, HMAC keys and keys with imported material have
// no automatic rotation. Their rotation is shown as off.
func keyDetails(ctx context.Context, g *api.Region, k *key) error {
	// GetKeyPolicy: "The name of the key policy. The only valid value is default."
	policy, err := g.KMS.GetKeyPolicy(ctx, &kms.GetKeyPolicyInput{KeyId: k.KeyId, PolicyName: aws.String("default")})
	if err != nil {
		return api.Classify("", err)
	}
	k.details, k.policy = true, aws.ToString(policy.Policy)
	out, err := g.KMS.GetKeyRotationStatus(ctx, &kms.GetKeyRotationStatusInput{KeyId: k.KeyId})
	switch {
	case api.HasCode(err, "UnsupportedOperationException", "KMSInvalidStateException"):
		return nil // an asymmetric key
	case err != nil:
		return api.Classify("", err)
	}
	k.rotates, k.days = out.KeyRotationEnabled, out.RotationPeriodInDays
	return nil
}

// observedKey converts a key with its parts to a resource. A disabled key is stopped, so that
// state: stopped configures it.
func observedKey(g *api.Region, k key) resource.Observed {
	o := resource.Observed{ID: aws.ToString(k.KeyId), Health: resource.Healthy, Since: aws.ToTime(k.CreationDate)}
	switch k.KeyState {
	case types.KeyStateDisabled:
		o.Health = resource.Stopped
	case types.KeyStateCreating, types.KeyStateUpdating, types.KeyStatePendingImport:
		o.Health = resource.Pending
	case types.KeyStateUnavailable:
		o.Health = resource.Failing
	case types.KeyStateEnabled, types.KeyStatePendingDeletion, types.KeyStatePendingReplicaDeletion:
	default:
		o.Health, o.Message = api.UnknownState(k.KeyState)
	}
	// A key whose deletion another client scheduled is stopped, and a configured state of running
	// is a difference.
	api.DeletionSet(&o, resource.Stopped, k.DeletionDate)
	a := api.Attrs{}
	a.Text(arnAttr, k.Arn)
	a.Text("description", k.Description)
	if len(k.aliases) > 0 {
		a.Text(api.AliasAttr, &k.aliases[0])
	}
	if k.details {
		a[network.PolicyAttr] = resource.String(api.CanonicalDocument(k.policy))
		a[rotationAttr] = resource.Bool(k.rotates)
		a.Number(rotationDays, k.days)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindKMS, "", k.tags)
	return o
}

// readKey returns one key with its policy and rotation, even if it is unmanaged.
func readKey(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	named, err := aliases(ctx, g, aws.String(id))
	if err != nil {
		return resource.Observed{}, err
	}
	k, err := oneKey(ctx, g, id, named[id], true)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedKey(g, k), nil
}

// keysWith finds the keys with a key of creation: KMS has no token, and no list by tags. A key that
// may not be read does not count. The search takes two calls for each key of the region, at most
// eight at a time.
func keysWith(ctx context.Context, g *api.Region, creation string) ([]string, error) {
	all, err := keyIDs(ctx, g)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var found []string
	_, err = api.ObserveEach(ctx, all, func(ctx context.Context, id string) (resource.Observed, error) {
		k, err := oneKey(ctx, g, id, nil, false)
		if err == nil && k.tags[api.TagKey] == creation {
			// ObserveEach calls this function from several goroutines.
			mu.Lock()
			defer mu.Unlock()
			found = append(found, id)
		}
		return resource.Observed{}, err
	}, func(string, error) resource.Observed { return resource.Observed{} })
	return found, err
}

// tagKMS sets and removes tags of a key and keeps others. KMS refuses it for a key that is
// scheduled for deletion.
func tagKMS(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		if _, err := g.KMS.TagResource(ctx, &kms.TagResourceInput{KeyId: aws.String(id), Tags: kmsTags(set)}); err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err := g.KMS.UntagResource(ctx, &kms.UntagResourceInput{KeyId: aws.String(id), TagKeys: drop})
	return api.Classify("", err)
}

// kmsTags returns tags in the form of KMS, sorted by key.
func kmsTags(tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{TagKey: aws.String(k), TagValue: aws.String(tags[k])})
	}
	return out
}
