package aws

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

const (
	kindListener = "listener"
	redirectTo   = "redirect"
)

func kindOfListener() kind {
	return kind{
		schema: resource.Kind{
			Provider: Name, Name: kindListener,
			Doc: "A port on which a load_balancer accepts requests.\n\n" +
				"AWS has no name for it: it is known by its load balancer and port. Other rules than its default one are left as they are.",
			NamePattern: tagName, NameDoc: tagNameDoc, Canonical: canonicalListener, CrossCheck: crossChecks(tagTraits{}, onePort),
			Attrs: []resource.Attribute{
				{
					Name: kindBalancer, Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: kindBalancer, IDPrefix: arnPrefix,
					Example: "web", Doc: "The load balancer.",
				},
				{Name: "port", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Example: "443", Doc: "The port."},
				{
					Name: "protocol", Type: resource.TString, Default: resource.String("HTTP"), Enum: []string{"HTTP", "HTTPS", "TCP", "TLS", "UDP", "TCP_UDP"},
					Example: "HTTPS", Doc: "HTTP or HTTPS on an application load balancer, the others on a network load balancer.",
				},
				{Name: kindCertificate, Type: resource.TString, RefKind: kindCertificate, IDPrefix: arnPrefix, Example: "web", Doc: "Its certificate, for HTTPS and TLS: one of this configuration, or an ARN. It must be issued."},
				{Name: kindTargets, Type: resource.TString, RefKind: kindTargets, IDPrefix: arnPrefix, Example: "web", Doc: "Where requests go. Set it or redirect."},
				{Name: redirectTo, Type: resource.TObject, Fields: redirectFields(), Example: `{protocol: HTTPS, port: "443"}`, Doc: "Where browsers are sent instead. What is omitted stays as it was asked for."},
			},
		},
		list: listListeners, read: readListener, tag: tagELB, check: checkListener,
		create: createListener, update: updateListener, remove: deleteListener,
	}
}

func redirectFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "protocol", Type: resource.TString, Enum: []string{"HTTP", "HTTPS"}, Example: "HTTPS", Doc: "The protocol."},
		{Name: "host", Type: resource.TString, Example: "www.example.com", Doc: "The host."},
		{Name: "port", Type: resource.TString, Pattern: `[0-9]{1,5}`, Example: "443", Doc: "The port."},
		{Name: "path", Type: resource.TString, Pattern: `/.*`, Example: "/new", Doc: "The path."},
		{Name: "status", Type: resource.TString, Enum: []string{"HTTP_301", "HTTP_302"}, Default: resource.String("HTTP_301"), Example: "HTTP_302", Doc: "Whether it is for good."},
	}
}

// canonicalListener: a listener has one action, and one with encryption a certificate.
func canonicalListener(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, forwards := a.Get(kindTargets)
	_, redirects := a.Get(redirectTo)
	if forwards == redirects {
		return a, []resource.Problem{{Path: kindTargets, Summary: "a listener needs either target_group or redirect", Suggestion: "set one of the two"}}
	}
	protocol, _ := text(a, "protocol")
	_, certified := a.Get("certificate")
	switch encrypted := protocol == "HTTPS" || protocol == "TLS"; {
	case encrypted && !certified:
		return a, []resource.Problem{{Path: "certificate", Summary: protocol + " needs a certificate", Suggestion: "name one in certificate"}}
	case !encrypted && certified:
		return a, []resource.Problem{{Path: "certificate", Summary: protocol + " has no certificate", Suggestion: "use protocol: HTTPS"}}
	}
	return a, nil
}

// onePort: two listeners of one load balancer have two ports (DuplicateListener).
func onePort(c *checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.configured {
		v, _ := d.Attrs.Get(kindBalancer)
		port, _ := number(d.Attrs, "port")
		key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v)) + " " + strconv.FormatInt(port, 10)
		if other := first[key]; other != nil {
			c.wrong(d, "port", "use another port", "port %d of the same load balancer has listener/%s", port, location(other))
			continue
		}
		first[key] = d
	}
}

// listenersOf reads those of one load balancer.
func listenersOf(ctx context.Context, g *region, balancer *string) ([]types.Listener, error) {
	return pages(ctx, "elasticloadbalancing.DescribeListeners", func(ctx context.Context, token *string) ([]types.Listener, *string, error) {
		out, err := g.elb.DescribeListeners(ctx, &elb.DescribeListenersInput{LoadBalancerArn: balancer, Marker: token, PageSize: aws.Int32(elbPage)})
		if err != nil {
			return nil, nil, err
		}
		return out.Listeners, out.NextMarker, nil
	})
}

func observedListeners(ctx context.Context, g *region, all []types.Listener) ([]resource.Observed, error) {
	return withTags(ctx, g, all, func(l types.Listener) *string { return l.ListenerArn }, func(l types.Listener, tags map[string]string) resource.Observed { return observedListener(g, l, tags) })
}

// listListeners asks each load balancer: there is no list of them all.
func listListeners(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	balancers, err := allBalancers(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []types.Listener
	for _, b := range balancers {
		some, err := listenersOf(ctx, s.region, b.LoadBalancerArn)
		if err != nil && !absent(err) {
			return nil, err
		}
		all = append(all, some...)
	}
	return observedListeners(ctx, s.region, all)
}

func observedListener(g *region, l types.Listener, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(l.ListenerArn), Health: resource.Healthy}
	a := attrs{"protocol": resource.String(l.Protocol)}
	a.text(kindBalancer, l.LoadBalancerArn)
	a.number("port", l.Port)
	for _, c := range l.Certificates {
		if a["certificate"] == nil {
			a.text("certificate", c.CertificateArn)
		}
	}
	if len(l.DefaultActions) == 1 {
		action := l.DefaultActions[0]
		switch {
		case action.RedirectConfig != nil:
			a[redirectTo] = observedRedirect(action.RedirectConfig)
		case action.TargetGroupArn != nil:
			a.text(kindTargets, action.TargetGroupArn)
		case action.ForwardConfig != nil && len(action.ForwardConfig.TargetGroups) == 1:
			a.text(kindTargets, action.ForwardConfig.TargetGroups[0].TargetGroupArn)
		}
	}
	o.Attrs = a.done()
	g.identify(&o, kindListener, listenerName(l), tags)
	return o
}

// listenerName is the name of its load balancer, which is part of its ARN, and its port.
func listenerName(l types.Listener) string {
	const nameAt = 2 // loadbalancer/app/NAME/ID
	parts := strings.Split(aws.ToString(l.LoadBalancerArn), "/")
	if len(parts) <= nameAt {
		return ""
	}
	return parts[nameAt] + "-" + strconv.Itoa(int(aws.ToInt32(l.Port)))
}

// observedRedirect omits what stays as it was asked for.
func observedRedirect(r *types.RedirectActionConfig) resource.Attrs {
	a := attrs{"status": resource.String(r.StatusCode)}
	for name, s := range map[string]*string{"protocol": r.Protocol, "host": r.Host, "port": r.Port, "path": r.Path} {
		if v := aws.ToString(s); v != "#{"+name+"}" && v != "/#{"+name+"}" {
			a.text(name, s)
		}
	}
	return a.done()
}

func readListener(ctx context.Context, g *region, id string) (resource.Observed, error) {
	const op = "elasticloadbalancing.DescribeListeners"
	out, err := g.elb.DescribeListeners(ctx, &elb.DescribeListenersInput{ListenerArns: []string{id}})
	if err != nil {
		return resource.Observed{}, classify(op, err)
	}
	all, err := observedListeners(ctx, g, out.Listeners)
	return lone(all, err, op, id)
}

// listenerAt finds the listener of a load balancer's port.
func listenerAt(ctx context.Context, g *region, a resource.Attrs) (resource.Observed, error) {
	all, err := listenersOf(ctx, g, desired(a, kindBalancer))
	var some []types.Listener
	for _, l := range all {
		if port, _ := number(a, "port"); int64(aws.ToInt32(l.Port)) == port {
			some = append(some, l)
		}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	found, err := observedListeners(ctx, g, some)
	return lone(found, err, "elasticloadbalancing.DescribeListeners", "the listener")
}

func checkListener(ctx context.Context, g *region, r provider.Request) error {
	if unresolved(r.Desired.Attrs, kindBalancer) {
		return nil
	}
	o, err := listenerAt(ctx, g, r.Desired.Attrs)
	switch {
	case absent(err), err == nil && (o.ID == r.Have.ID || r.Key != "" && o.Marks.Key == r.Key):
		return nil
	case err != nil:
		return err
	}
	return taken(o, r)
}

// actionOf is what a listener does with a request.
func actionOf(a resource.Attrs) []types.Action {
	v, ok := a.Get(redirectTo)
	to, is := v.(resource.Attrs)
	if !ok || !is {
		return []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: desired(a, kindTargets)}}
	}
	status, ok := text(to, "status")
	if !ok {
		status = string(types.RedirectActionStatusCodeEnumHttp301)
	}
	return []types.Action{{Type: types.ActionTypeEnumRedirect, RedirectConfig: &types.RedirectActionConfig{
		StatusCode: types.RedirectActionStatusCodeEnum(status),
		Protocol:   desired(to, "protocol"), Host: desired(to, "host"), Port: desired(to, "port"), Path: desired(to, "path"),
	}}}
}

func certificates(a resource.Attrs) []types.Certificate {
	if arn := desired(a, "certificate"); arn != nil {
		return []types.Certificate{{CertificateArn: arn}}
	}
	return nil
}

// createListener looks for the port first, as byName does for a name.
func createListener(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	o, err := listenerAt(ctx, g, a)
	switch {
	case err == nil && o.Marks.Key == r.Key:
		return o, nil
	case err == nil:
		return resource.Observed{}, taken(o, r)
	case !absent(err):
		return resource.Observed{}, err
	}
	if err := awaitIssued(ctx, g, a); err != nil {
		return resource.Observed{}, err
	}
	protocol, _ := text(a, "protocol")
	err = g.patientlyIf(ctx, g.wait.Appear, func() error {
		_, err := g.elb.CreateListener(ctx, &elb.CreateListenerInput{
			LoadBalancerArn: desired(a, kindBalancer), Port: asInt32(a, "port"), Protocol: types.ProtocolEnum(protocol),
			Certificates: certificates(a), DefaultActions: actionOf(a), Tags: elbTagList(g.birthTags(r, false)),
		})
		return classify("", err)
	}, notYet)
	if err != nil {
		return resource.Observed{}, err
	}
	err = g.awaitSeen(ctx, g.wait.Appear, "the listener", func(ctx context.Context) (err error) {
		o, err = listenerAt(ctx, g, a)
		return err
	})
	if err == nil && o.Marks.Key != r.Key {
		err = taken(o, r)
	}
	return o, err
}

func updateListener(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	if changed(r, "port", "protocol", "certificate", kindTargets, redirectTo) {
		if err := awaitIssued(ctx, g, a); err != nil {
			return resource.Observed{}, err
		}
		protocol, _ := text(a, "protocol")
		_, err := g.elb.ModifyListener(ctx, &elb.ModifyListenerInput{
			ListenerArn: aws.String(r.Have.ID), Port: asInt32(a, "port"), Protocol: types.ProtocolEnum(protocol),
			Certificates: certificates(a), DefaultActions: actionOf(a),
		})
		if err != nil {
			return resource.Observed{}, classify("", err)
		}
	}
	return readListener(ctx, g, r.Have.ID)
}

// deleteListener: one of a load balancer that was deleted is gone with it.
func deleteListener(ctx context.Context, g *region, r provider.Request) error {
	_, err := g.elb.DeleteListener(ctx, &elb.DeleteListenerInput{ListenerArn: aws.String(r.Have.ID)})
	return unlessAbsent(err)
}
