package keys

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// checkKMS: the alias is free, or is that of the key to be replaced.
func checkKMS(ctx context.Context, g *api.Region, r provider.Request) error {
	alias, set := api.Text(r.Desired.Attrs, api.AliasAttr)
	if !set {
		return nil
	}
	_, err := freeAlias(ctx, g, alias, r.Have.ID, r.Key, r.Gives)
	return err
}

// freeAlias finds which key has an alias. It is free also where that key is ours and to be deleted;
// any other is a conflict. The result taken means that the alias exists and may be moved: to the
// new key from a key that ovi deletes, from the key of an earlier attempt,
// or from a key that gives it up before.
// own is the ID of the key that gets the alias, or empty before its creation. creation is the
// idempotency key of the request, or empty after the creation. gives reports whether a key gives
// its alias up for the request.
func freeAlias(
	ctx context.Context, g *api.Region, alias, own, creation string, gives func(id string) bool,
) (taken bool, err error) {
	named, err := aliases(ctx, g, nil)
	if err != nil {
		return false, err
	}
	for id, names := range named {
		if id == own || !slices.Contains(names, alias) {
			continue
		}
		if gives(id) {
			return true, nil
		}
		k, err := oneKey(ctx, g, id, names, false)
		switch {
		case api.Absent(err) && k.tags[api.TagDeleting] != "":
			return true, nil
		case err != nil && !api.Absent(err):
			return true, err
		case creation != "" && k.tags[api.TagKey] == creation:
			return true, nil
		}
		return true, api.InUse("kms.ListAliases", fmt.Errorf("the key %s has the alias %s", id, alias),
			"use another alias, or remove it from that key")
	}
	return false, nil
}

// createKey relies on the key's tag, as the creates of other kinds without a token do. Alias and
// rotation follow in calls of their own, which are repeated until they were made. CreateKey has no
// client token, so after a lost answer the search by tag comes before a second call. The policy may
// name a role that was created a moment ago.
func createKey(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if err := checkKMS(ctx, g, r); err != nil {
		return resource.Observed{}, err
	}
	id, err := api.NoRetry(ctx, g, func() (string, error) {
		var out *kms.CreateKeyOutput
		err := g.UntilKnown(ctx, func() (err error) {
			// The SDK repeats only throttled calls: after a lost answer, a repetition would create a
			// second key.
			out, err = g.KMS.CreateKey(ctx, &kms.CreateKeyInput{
				Description: api.DesiredText(r.Desired.Attrs, "description"),
				Policy:      api.DesiredText(r.Desired.Attrs, network.PolicyAttr), Tags: kmsTags(g.BirthTags(r, false)),
			}, func(o *kms.Options) { o.Retryer = api.OnlyThrottled{Retryer: o.Retryer} })
			return api.Classify("", err)
		})
		if err != nil {
			return "", err
		}
		return aws.ToString(out.KeyMetadata.KeyId), nil
	}, func() ([]string, error) { return keysWith(ctx, g, r.Key) })
	if err != nil {
		return resource.Observed{}, err
	}
	if err := rotate(ctx, g, id, r.Desired.Attrs); err != nil {
		return resource.Observed{}, err
	}
	if err := nameKey(ctx, g, id, r.Desired.Attrs); err != nil {
		return resource.Observed{}, err
	}
	// The key is disabled last, because a disabled key takes no change, see updateKey.
	if r.Desired.State == resource.StateStopped {
		if _, err := g.KMS.DisableKey(ctx, &kms.DisableKeyInput{KeyId: aws.String(id)}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return awaitKey(ctx, g, id)
}

// awaitKey waits until a key is visible and no longer being created or updated.
func awaitKey(ctx context.Context, g *api.Region, id string) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the key "+id, func(ctx context.Context) error {
		if o, err = readKey(ctx, g, id); err == nil && o.Health == resource.Pending {
			return api.ErrWait
		}
		return err
	})
	return o, err
}

// rotate turns the rotation on, with its days, or off, as far as the configuration sets it. Both
// calls set an absolute state and may be repeated. A key that was created a moment ago may not be
// visible yet.
// Without days, KMS uses its own period. AWS KMS API Reference, EnableKeyRotation: "If no value is
// specified, the default value is 365 days".
func rotate(ctx context.Context, g *api.Region, id string, a resource.Attrs) error {
	on, set := api.Flag(a, rotationAttr)
	days := api.AsInt32(a, rotationDays)
	if !set && days == nil {
		return nil
	}
	return g.PatientlyIf(ctx, g.Wait.Appear, func() (err error) {
		if set && !on {
			_, err = g.KMS.DisableKeyRotation(ctx, &kms.DisableKeyRotationInput{KeyId: aws.String(id)})
		} else {
			_, err = g.KMS.EnableKeyRotation(ctx, &kms.EnableKeyRotationInput{KeyId: aws.String(id), RotationPeriodInDays: days})
		}
		return api.Classify("", err)
	}, api.Absent)
}

// nameKey gives a key its alias alone. The new alias is set before old ones are deleted, so that
// programs which use an alias always find the key by one of them.
// Both steps compare with the live aliases, so an interrupted call can be repeated. AWS KMS API
// Reference, UpdateAlias: the current and the new key "must be the same type (both symmetric or
// both asymmetric or both HMAC)".
func nameKey(ctx context.Context, g *api.Region, id string, a resource.Attrs) error {
	alias, set := api.Text(a, api.AliasAttr)
	if !set {
		return nil
	}
	named, err := aliases(ctx, g, aws.String(id))
	if err != nil {
		return err
	}
	if !slices.Contains(named[id], alias) {
		taken, err := freeAlias(ctx, g, alias, id, "", func(string) bool { return false })
		if err != nil {
			return err
		}
		name := aws.String(aliasPrefix + alias)
		err = g.PatientlyIf(ctx, g.Wait.Appear, func() (err error) {
			if taken {
				_, err = g.KMS.UpdateAlias(ctx, &kms.UpdateAliasInput{AliasName: name, TargetKeyId: aws.String(id)})
			} else {
				_, err = g.KMS.CreateAlias(ctx, &kms.CreateAliasInput{AliasName: name, TargetKeyId: aws.String(id)})
			}
			return api.Classify("", err)
		}, api.Absent)
		if err != nil {
			return err
		}
	}
	for _, old := range named[id] {
		if old == alias {
			continue
		}
		if _, err := g.KMS.DeleteAlias(ctx, &kms.DeleteAliasInput{
			AliasName: aws.String(aliasPrefix + old),
		}); api.UnlessAbsent(err) != nil {
			return api.Classify("", err)
		}
	}
	return nil
}

// restoreKey makes a key usable: a key that is disabled or scheduled for deletion takes no change. It
// cancels a deletion, which leaves a key disabled, and enables it. AWS KMS API Reference,
// CancelKeyDeletion: after it "the key state of the KMS key is Disabled".
func restoreKey(ctx context.Context, g *api.Region, r provider.Request) error {
	if !api.Starts(r) {
		return nil
	}
	id := aws.String(r.Have.ID)
	out, err := g.KMS.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: id})
	if err != nil {
		return api.Classify("", err)
	}
	if out.KeyMetadata.DeletionDate != nil {
		if _, err := g.KMS.CancelKeyDeletion(ctx, &kms.CancelKeyDeletionInput{KeyId: id}); err != nil {
			return api.Classify("", err)
		}
	}
	_, err = g.KMS.EnableKey(ctx, &kms.EnableKeyInput{KeyId: id})
	return api.Classify("", err)
}

// updateKey changes a key that restoreKey has made usable, and disables it last. Each call sets an absolute value, so
// an interrupted update can be repeated.
func updateKey(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := aws.String(r.Have.ID)
	if api.Changed(r, "description") {
		if _, err := g.KMS.UpdateKeyDescription(ctx,
			&kms.UpdateKeyDescriptionInput{
				KeyId:       id,
				Description: api.DesiredText(r.Desired.Attrs, "description"),
			}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	if api.Changed(r, network.PolicyAttr) {
		if err := g.UntilKnown(ctx, func() error {
			_, err := g.KMS.PutKeyPolicy(ctx, &kms.PutKeyPolicyInput{
				KeyId: id, PolicyName: aws.String("default"),
				Policy: api.DesiredText(r.Desired.Attrs, network.PolicyAttr),
			})
			return api.Classify("", err)
		}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	// GetKeyRotationStatus: "While a KMS key is pending deletion, its key rotation status is
	// false". The plan did not observe the real rotation of such a key, so a start sets it in any
	// case.
	if api.Changed(r, rotationAttr, rotationDays) || api.Starts(r) {
		if err := rotate(ctx, g, r.Have.ID, r.Desired.Attrs); err != nil {
			return resource.Observed{}, err
		}
	}
	if api.Changed(r, api.AliasAttr) {
		if err := nameKey(ctx, g, r.Have.ID, r.Desired.Attrs); err != nil {
			return resource.Observed{}, err
		}
	}
	if api.Stops(r) {
		if _, err := g.KMS.DisableKey(ctx, &kms.DisableKeyInput{KeyId: id}); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return awaitKey(ctx, g, r.Have.ID)
}

// deleteKey marks the key first: one that is to be deleted takes no tags. AWS KMS API Reference,
// ScheduleKeyDeletion: the waiting period is 7 to 30 days, after which KMS deletes the key, its
// material and its aliases. A deletion that another hand scheduled is canceled first, because the
// mark could not be written otherwise.
// A crash between the mark and ScheduleKeyDeletion leaves a marked key without a deletion date.
// Such a key is still observed, because GoneToOvi needs both, so its deletion is planned again. If
// the last configuration has no deletion_window, KMS applies its default of 30 days.
func deleteKey(ctx context.Context, g *api.Region, r provider.Request) error {
	id := aws.String(r.Have.ID)
	out, err := g.KMS.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: id})
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return api.Classify("", err)
	}
	if out.KeyMetadata.DeletionDate != nil {
		if _, err := oneKey(ctx, g, r.Have.ID, nil, false); api.Absent(err) {
			return nil // by an earlier call
		}
		if _, err := g.KMS.CancelKeyDeletion(ctx, &kms.CancelKeyDeletionInput{KeyId: id}); err != nil {
			return api.Classify("", err)
		}
	}
	if err := tagKMS(ctx, g, r.Have.ID, map[string]string{api.TagDeleting: "true"}, nil); err != nil {
		return err
	}
	_, err = g.KMS.ScheduleKeyDeletion(ctx,
		&kms.ScheduleKeyDeletionInput{KeyId: id, PendingWindowInDays: api.AsInt32(r.Desired.Attrs, windowAttr)})
	return api.UnlessAbsent(err)
}
