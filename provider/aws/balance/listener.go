package balance

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/keys"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindListener is the kind listener.
	KindListener = "listener"
	redirectTo   = "redirect"
)

// kindOfListener returns the kind listener. AWS has no name for a listener, so its natural name
// consists of its load balancer and its port.
func kindOfListener() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindListener,
			Doc: "A port on which a load_balancer accepts requests.\n\n" +
				"AWS has no name for it: it is known by its load balancer and port. ovi does not change rules\n" +
				"other than its default rule.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, Canonical: canonicalListener,
			CrossCheck: api.CrossChecks(api.TagTraits{}, onePort),
			Holds:      holdsListener, HoldsDoc: "its port of the load balancer",
			Attrs: []resource.Attribute{
				{
					Name: KindBalancer, Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: KindBalancer,
					IDPrefix: ARNPrefix,
					Example:  "web", Doc: "The load balancer.",
				},
				{
					Name: "port", Type: resource.TInt, Required: true, Min: api.Bound(1), Max: api.Bound(65535), Example: "443",
					Doc: "The port.",
				},
				{
					Name: "protocol", Type: resource.TString, Default: resource.String("HTTP"),
					Enum:    []string{"HTTP", "HTTPS", "TCP", "TLS", "UDP", "TCP_UDP"},
					Example: "HTTPS", Doc: "HTTP or HTTPS on an application load balancer, the others on a network load balancer.",
				},
				{
					Name: keys.KindCertificate, Type: resource.TString, RefKind: keys.KindCertificate, IDPrefix: ARNPrefix,
					Example: "web", Doc: "Its certificate, for HTTPS and TLS: one of this configuration, or an ARN. It must be " +
						"issued.",
				},
				{
					Name: KindTargets, Type: resource.TString, RefKind: KindTargets, IDPrefix: ARNPrefix, Example: "web",
					Doc: "Where requests go. Set it or redirect.",
				},
				{
					Name: redirectTo, Type: resource.TObject, Fields: redirectFields(), Example: `{protocol: HTTPS, port: "443"}`,
					Doc: "A redirect. Parts that you omit are taken from the original request.",
				},
			},
		},
		List: listListeners, Read: readListener, Tag: tagELB, Check: checkListener,
		Create: createListener, Update: updateListener, Remove: deleteListener,
		Calls: api.Calls{
			Service:  "elasticloadbalancing",
			Observes: "DescribeListeners DescribeLoadBalancers DescribeTags DescribeTargetGroups",
			Creates:  "AddTags CreateListener",
			Changes:  "AddTags ModifyListener RemoveTags",
			Deletes:  "DeleteListener",
			Others:   []string{"acm:DescribeCertificate"},
		},
	}
}

// redirectFields are the parts of a redirect. Only the status has a default: every other part that
// is omitted is not sent, and AWS takes it from the request.
func redirectFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "protocol", Type: resource.TString, Enum: []string{"HTTP", "HTTPS"}, Example: "HTTPS", Doc: "The protocol."},
		{Name: "host", Type: resource.TString, Example: "www.example.com", Doc: "The host."},
		{Name: "port", Type: resource.TString, Pattern: `[0-9]{1,5}`, Example: "443", Doc: "The port."},
		{Name: "path", Type: resource.TString, Pattern: `/.*`, Example: "/new", Doc: "The path."},
		{
			Name: "status", Type: resource.TString, Enum: []string{"HTTP_301", "HTTP_302"}, Default: resource.String("HTTP_301"),
			Example: "HTTP_302", Doc: "Whether it is for good.",
		},
	}
}

// canonicalListener: a listener has one action, and one with encryption a certificate. Elastic Load
// Balancing API Reference, CreateListener: an HTTPS or TLS listener needs exactly one certificate.
func canonicalListener(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, forwards := a.Get(KindTargets)
	_, redirects := a.Get(redirectTo)
	if forwards == redirects {
		return a, []resource.Problem{{
			Path: KindTargets, Summary: "a listener needs either target_group or redirect",
			Suggestion: "set one of the two",
		}}
	}
	protocol, _ := api.Text(a, "protocol")
	_, certified := a.Get("certificate")
	switch encrypted := protocol == "HTTPS" || protocol == "TLS"; {
	case encrypted && !certified:
		return a, []resource.Problem{{
			Path: "certificate", Summary: protocol + " needs a certificate",
			Suggestion: "name one in certificate",
		}}
	case !encrypted && certified:
		return a, []resource.Problem{{
			Path: "certificate", Summary: protocol + " has no certificate",
			Suggestion: "use protocol: HTTPS",
		}}
	}
	return a, nil
}

// holdsListener: a port of a load balancer has one listener (DuplicateListener). The port is the
// identity, because a listener has no name.
func holdsListener(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	balancer, _ := api.Inside(a, KindBalancer)
	port, _ := api.Number(a, "port")
	return []resource.Hold{{What: "port", Of: balancer, Name: strconv.FormatInt(port, 10), Identity: true}}
}

// onePort: two listeners of one load balancer have two ports (DuplicateListener). Load balancers
// are compared as they appear in the configuration: if one listener has a name and another has the
// ARN of the same load balancer, only the service refuses the second listener.
func onePort(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		v, _ := d.Attrs.Get(KindBalancer)
		port, _ := api.Number(d.Attrs, "port")
		key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v)) + " " + strconv.FormatInt(port, 10)
		if other := first[key]; other != nil {
			c.Wrong(d, "port", "use another port", "port %d of the same load balancer has listener/%s", port,
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// listenersOf reads those of one load balancer. A load balancer that was deleted since is an error
// that is absent, which the caller decides about.
func listenersOf(ctx context.Context, g *api.Region, balancer *string) ([]types.Listener, error) {
	return api.Pages(ctx, "elasticloadbalancing.DescribeListeners",
		func(ctx context.Context, token *string) ([]types.Listener, *string, error) {
			out, err := g.ELB.DescribeListeners(ctx,
				&elb.DescribeListenersInput{LoadBalancerArn: balancer, Marker: token, PageSize: aws.Int32(elbPage)})
			if err != nil {
				return nil, nil, err
			}
			return out.Listeners, out.NextMarker, nil
		})
}

// observedListeners returns listeners with their tags. A listener that was deleted since its list
// was read is omitted.
func observedListeners(ctx context.Context, g *api.Region, all []types.Listener) ([]resource.Observed, error) {
	return withTags(ctx, g, all, func(l types.Listener) *string { return l.ListenerArn },
		func(l types.Listener, tags map[string]string) resource.Observed { return observedListener(g, l, tags) })
}

// listListeners asks each load balancer: there is no list of them all. A load balancer that was
// deleted since has no listeners. Every other error makes the list fail, because a list without one
// load balancer would pass for deleted listeners.
func listListeners(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	balancers, err := allBalancers(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []types.Listener
	for _, b := range balancers {
		some, err := listenersOf(ctx, s.Region, b.LoadBalancerArn)
		if err != nil && !api.Absent(err) {
			return nil, err
		}
		all = append(all, some...)
	}
	return observedListeners(ctx, s.Region, all)
}

// observedListener converts an answer of the service. A default rule with several actions or
// weighted target groups has no form in the configuration: neither target_group nor redirect is
// shown, so that it appears as a difference. The first certificate is the default certificate.
func observedListener(g *api.Region, l types.Listener, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(l.ListenerArn), Health: resource.Healthy}
	a := api.Attrs{"protocol": resource.String(l.Protocol)}
	a.Text(KindBalancer, l.LoadBalancerArn)
	a.Number("port", l.Port)
	for _, c := range l.Certificates {
		if a["certificate"] == nil {
			a.Text("certificate", c.CertificateArn)
		}
	}
	if len(l.DefaultActions) == 1 {
		action := l.DefaultActions[0]
		switch {
		case action.RedirectConfig != nil:
			a[redirectTo] = observedRedirect(action.RedirectConfig)
		case action.TargetGroupArn != nil:
			a.Text(KindTargets, action.TargetGroupArn)
		case action.ForwardConfig != nil && len(action.ForwardConfig.TargetGroups) == 1:
			a.Text(KindTargets, action.ForwardConfig.TargetGroups[0].TargetGroupArn)
		}
	}
	o.Attrs = a.Build()
	// Its name has its port and the name of its load balancer, which is part of its ARN. An ARN of another form has no
	// name, and the ID of the listener is its name then.
	name := ""
	const nameAt = 2 // loadbalancer/app/NAME/ID
	if parts := strings.Split(aws.ToString(l.LoadBalancerArn), "/"); len(parts) > nameAt {
		name = parts[nameAt] + "-" + strconv.Itoa(int(aws.ToInt32(l.Port)))
	}
	g.Identify(&o, KindListener, name, tags)
	return o
}

// observedRedirect omits what stays as it was asked for. AWS fills an omitted part with a
// placeholder such as #{host}, which means that the part of the request is kept. The keyword
// #{path} has no leading slash (RedirectActionConfig), so the placeholder of a path has one.
func observedRedirect(r *types.RedirectActionConfig) resource.Attrs {
	a := api.Attrs{"status": resource.String(r.StatusCode)}
	for name, s := range map[string]*string{"protocol": r.Protocol, "host": r.Host, "port": r.Port, "path": r.Path} {
		if v := aws.ToString(s); v != "#{"+name+"}" && v != "/#{"+name+"}" {
			a.Text(name, s)
		}
	}
	return a.Build()
}

func readListener(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	const op = "elasticloadbalancing.DescribeListeners"
	out, err := g.ELB.DescribeListeners(ctx, &elb.DescribeListenersInput{ListenerArns: []string{id}})
	if err != nil {
		return resource.Observed{}, api.Classify(op, err)
	}
	all, err := observedListeners(ctx, g, out.Listeners)
	return lone(all, err, op, id)
}

// listenerAt finds the listener of a load balancer's port. A listener has no name in AWS; the load
// balancer and the port identify it. The service has no filter by port, so all listeners of the
// load balancer are read. A free port and a load balancer that does not exist both make an error
// that is absent.
func listenerAt(ctx context.Context, g *api.Region, a resource.Attrs) (resource.Observed, error) {
	all, err := listenersOf(ctx, g, api.DesiredText(a, KindBalancer))
	var some []types.Listener
	for _, l := range all {
		if port, _ := api.Number(a, "port"); int64(aws.ToInt32(l.Port)) == port {
			some = append(some, l)
		}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	found, err := observedListeners(ctx, g, some)
	return lone(found, err, "elasticloadbalancing.DescribeListeners", "the listener")
}

// checkListener reports a port that another listener has. If the load balancer does not exist yet,
// its ports are free.
func checkListener(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs, KindBalancer) {
		return nil
	}
	o, err := listenerAt(ctx, g, r.Desired.Attrs)
	switch {
	case api.Absent(err), err == nil && (o.ID == r.Have.ID || r.Key != "" && o.Marks.Key == r.Key):
		return nil
	case err != nil:
		return err
	}
	return api.Taken(o, r)
}

// actionOf is what a listener does with a request. canonicalListener ensures that exactly one of
// the two attributes is set. A redirect needs a status (RedirectActionConfig), so a missing status
// is HTTP_301.
func actionOf(a resource.Attrs) []types.Action {
	v, ok := a.Get(redirectTo)
	to, is := v.(resource.Attrs)
	if !ok || !is {
		return []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: api.DesiredText(a, KindTargets)}}
	}
	status, ok := api.Text(to, "status")
	if !ok {
		status = string(types.RedirectActionStatusCodeEnumHttp301)
	}
	return []types.Action{{Type: types.ActionTypeEnumRedirect, RedirectConfig: &types.RedirectActionConfig{
		StatusCode: types.RedirectActionStatusCodeEnum(status),
		Protocol:   api.DesiredText(to, "protocol"), Host: api.DesiredText(to, "host"), Port: api.DesiredText(to, "port"),
		Path: api.DesiredText(to, "path"),
	}}}
}

// certificates returns the default certificate, or nil if none is configured. CreateListener and
// ModifyListener require exactly one, without IsDefault (Elastic Load Balancing API Reference).
func certificates(a resource.Attrs) []types.Certificate {
	if arn := api.DesiredText(a, "certificate"); arn != nil {
		return []types.Certificate{{CertificateArn: arn}}
	}
	return nil
}

// createListener looks for the port first, as byName does for a name. CreateListener succeeds again
// for a listener with the same settings, whoever created it, so the key in the tags decides after
// the call as well. A certificate must be issued before: the service refuses any other. The load
// balancer and the target group may be new, so refusals that name them are repeated for the wait of
// propagation.
func createListener(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	o, err := listenerAt(ctx, g, a)
	switch {
	case err == nil && o.Marks.Key == r.Key:
		return o, nil
	case err == nil:
		return resource.Observed{}, api.Taken(o, r)
	case !api.Absent(err):
		return resource.Observed{}, err
	}
	if err := keys.AwaitIssued(ctx, g, a); err != nil {
		return resource.Observed{}, err
	}
	protocol, _ := api.Text(a, "protocol")
	err = g.PatientlyIf(ctx, g.Wait.Appear, func() error {
		_, err := g.ELB.CreateListener(ctx, &elb.CreateListenerInput{
			LoadBalancerArn: api.DesiredText(a, KindBalancer), Port: api.AsInt32(a, "port"),
			Protocol:     types.ProtocolEnum(protocol),
			Certificates: certificates(a), DefaultActions: actionOf(a), Tags: elbTagList(g.BirthTags(r, false)),
		})
		return api.Classify("", err)
	}, notYet)
	if err != nil {
		return resource.Observed{}, err
	}
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the listener", func(ctx context.Context) (err error) {
		o, err = listenerAt(ctx, g, a)
		return err
	})
	if err == nil && o.Marks.Key != r.Key {
		err = api.Taken(o, r)
	}
	return o, err
}

// updateListener sends all attributes in one call: ModifyListener replaces a list only as a whole,
// and a protocol and its certificate must change together (Elastic Load Balancing API Reference,
// ModifyListener). A change from HTTPS to HTTP, or from TLS to TCP, removes the certificate, so
// none is sent then.
func updateListener(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	if api.Changed(r, "port", "protocol", "certificate", KindTargets, redirectTo) {
		if err := keys.AwaitIssued(ctx, g, a); err != nil {
			return resource.Observed{}, err
		}
		protocol, _ := api.Text(a, "protocol")
		_, err := g.ELB.ModifyListener(ctx, &elb.ModifyListenerInput{
			ListenerArn: aws.String(r.Have.ID), Port: api.AsInt32(a, "port"), Protocol: types.ProtocolEnum(protocol),
			Certificates: certificates(a), DefaultActions: actionOf(a),
		})
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return readListener(ctx, g, r.Have.ID)
}

// deleteListener: one of a load balancer that was deleted is gone with it.
func deleteListener(ctx context.Context, g *api.Region, r provider.Request) error {
	_, err := g.ELB.DeleteListener(ctx, &elb.DeleteListenerInput{ListenerArn: aws.String(r.Have.ID)})
	return api.UnlessAbsent(err)
}
