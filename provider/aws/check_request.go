package aws

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/resource"
)

// Check determines whether AWS would reject a create or a replacement, if AWS can tell without a change;
// see provider.Checker. It writes nothing: EC2 answers dry runs, and for other services Check reads the
// resources that the request names.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err == nil {
		err = api.CheckTags(r.Desired.Tags)
	}
	if err != nil {
		return err
	}
	if r.Have.ID != "" && !replacement(r) {
		// An instance cannot change to a size of another architecture. No other rule about an update is checked before
		// the update itself.
		if r.Desired.Ref.Kind != api.KindEC2 || !api.Changed(r, "size") {
			return nil
		}
		i, err := api.OneInstance(ctx, g, r.Have.ID)
		if err != nil {
			return err
		}
		return compute.SameMachine(r, i)
	}
	// The check sends the request that Create would send, so it needs the same defaults.
	r.Desired.Attrs = api.WithDefaults(k.Schema, r.Desired.Attrs)
	err = api.Classify("", k.Check(ctx, g, r))
	if len(r.Vacated) > 0 && provider.CauseOf(err) == provider.InUse && api.CodeOf(err) != "" {
		return nil // a dry run does not tell who has the thing: another holder is found by the holds of the kinds
	}
	return err
}

// replacement reports that a request replaces what exists. A request for an existing resource
// without changes counts as one, because an update has changes.
func replacement(r provider.Request) bool {
	for _, c := range r.Changes {
		if c.Effect == resource.Replace {
			return true
		}
	}
	return len(r.Changes) == 0
}
