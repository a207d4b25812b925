package aws

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// Options are how to reach AWS. The zero Options use what the AWS command line uses: environment,
// profiles, roles, and AWS_ENDPOINT_URL.
type Options struct {
	Identities Identities
	Region     string // to ask for the account in; a location names its own region
	Endpoint   string // overrides AWS_ENDPOINT_URL
	// Sandbox: the transport of HTTPClient is the sandbox. Neither environment nor files are read, and
	// the credentials are fixed: no call can reach a real account.
	Sandbox    bool
	HTTPClient *http.Client
	Owner      string           // of the ovi:owner tag; "ovi" where empty
	Clock      func() time.Time // time.Now where nil
	Delays     api.Delays
	// PlainPace turns the client-side limits off; the sandbox needs none.
	PlainPace bool
	// Attempts is the maximum number of attempts of one call; 0 means 8.
	Attempts int
	Log      hclog.Logger
}

// Provider acts on AWS. It is safe for any number of goroutines.
type Provider struct {
	opts    Options
	kinds   map[string]api.Kind // by name; not changed once made
	schemas []resource.Kind     // not changed once made

	gate     api.Gate // guards what is created once, and is locked during its I/O
	sessions map[identity]*accountSession
	// called are the endpoints that are configured, of AWS or of anything else.
	called endpoints
}

var (
	_ provider.Provider  = (*Provider)(nil)
	_ provider.Locator   = (*Provider)(nil)
	_ provider.Marker    = (*Provider)(nil)
	_ provider.Checker   = (*Provider)(nil)
	_ provider.Describer = (*Provider)(nil)
	_ provider.Caller    = (*Provider)(nil)
)

// New returns a provider. It does no I/O and loads no configuration.
func New(opts Options) *Provider {
	if opts.Owner == "" {
		opts.Owner = "ovi"
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Log == nil {
		opts.Log = hclog.NewNullLogger()
	}
	if opts.Attempts == 0 {
		opts.Attempts = 8
	}
	opts.Delays = opts.Delays.OrDefault(opts.Sandbox)
	byName := map[string]api.Kind{}
	for _, k := range kinds() {
		byName[k.Schema.Name] = k
	}
	return &Provider{
		opts: opts, kinds: byName, schemas: Kinds(), gate: api.NewGate(), sessions: map[identity]*accountSession{},
	}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return p.schemas }

// Create creates the resource; see provider.Provider. If its name is taken, the cause is InUse. A
// key that EC2 would not take is refused before the kind makes a call.
func (p *Provider) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err == nil {
		err = api.CheckTags(r.Desired.Tags)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	if err := checkKey(r.Key); err != nil {
		return resource.Observed{}, err
	}
	r.Desired.Attrs = api.WithDefaults(k.Schema, r.Desired.Attrs)
	o, err := k.Create(api.WithProgress(ctx, r.Progress), g, r)
	return o, p.classified(ctx, err)
}

// Update changes the resource; see provider.Provider. The tags of the user are written first. The
// result, which the kind reads afterwards, then has them. A change that requires a replacement is
// refused before any write.
func (p *Provider) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err == nil {
		err = api.CheckTags(r.Desired.Tags)
	}
	if err == nil {
		err = api.Replaces(r)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	if k.Restore != nil {
		if err := k.Restore(ctx, g, r); err != nil {
			return resource.Observed{}, p.classified(ctx, err)
		}
	}
	if set, drop := api.UserChanges(r); len(set)+len(drop) > 0 {
		if err := k.Tag(ctx, g, r.Have.ID, set, drop); err != nil {
			return resource.Observed{}, p.classified(ctx, err)
		}
	}
	o, err := k.Update(api.WithProgress(ctx, r.Progress), g, r)
	return o, p.classified(ctx, err)
}

// Delete deletes the resource; see provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	k, g, err := p.begin(ctx, r.Have.Ref)
	if err != nil {
		return err
	}
	if r.Have.ID == "" {
		return api.Mistake("", fmt.Errorf("%s has no ID to delete it by", r.Have.Ref), "run `ovi plan` to observe it again")
	}
	return p.classified(ctx, k.Remove(api.WithProgress(ctx, r.Progress), g, r))
}

// classified returns the error of an action with its cause. The log at debug has the part that only AWS can decode.
func (p *Provider) classified(ctx context.Context, err error) error {
	if text := api.Encoded(err); text != "" && !provider.IsQuiet(ctx) {
		p.opts.Log.Debug("AWS denied a call", "encoded", text)
	}
	return api.Classify("", err)
}

// begin finds the kind and the region of a request.
func (p *Provider) begin(ctx context.Context, ref resource.Ref) (api.Kind, *api.Region, error) {
	k, ok := p.kinds[ref.Kind]
	if !ok {
		return api.Kind{}, nil, api.Mistake("", fmt.Errorf("unknown kind %q for provider aws", ref.Kind), "run `ovi kinds`")
	}
	g, err := p.at(ctx, ref.Location)
	return k, g, err
}

// checkKey refuses a key that EC2 does not take as a ClientToken. Amazon EC2 API Reference,
// RunInstances: "Maximum 64 ASCII characters". Kinds without a token have the same rule: their key
// is a tag.
func checkKey(key string) error {
	if key == "" || len(key) > api.MaxKey {
		return api.Mistake("", fmt.Errorf("idempotency key %q: it must have 1 to %d characters", key, api.MaxKey), "")
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return api.Mistake("", fmt.Errorf("idempotency key %q: it must be plain ASCII", key), "")
		}
	}
	return nil
}
