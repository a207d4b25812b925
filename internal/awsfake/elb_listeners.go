package awsfake

import "strings"

func listenerActions() map[string]handler {
	return map[string]handler{
		"CreateListener": createListener, "DescribeListeners": describeListeners, "ModifyListener": modifyListener, "DeleteListener": deleteListener,
	}
}

type xmlRedirect struct{ Protocol, Host, Port, Path, Query, StatusCode string }

type xmlAction struct {
	Type           string
	TargetGroupArn string `xml:",omitempty"`
	RedirectConfig *xmlRedirect
}

type xmlListener struct {
	ListenerArn, LoadBalancerArn, Protocol string
	Port                                   int
	Certificates                           []struct{ CertificateArn string } `xml:"Certificates>member"`
	Actions                                []xmlAction                       `xml:"DefaultActions>member"`
}

type manyListeners struct {
	List   []xmlListener `xml:"Listeners>member"`
	Marker *string       `xml:"NextMarker"`
}

func viewListener(l *listener) xmlListener {
	out := xmlListener{ListenerArn: l.ID, LoadBalancerArn: l.Balancer, Protocol: l.Protocol, Port: l.Port}
	if l.Certificate != "" {
		out.Certificates = append(out.Certificates, struct{ CertificateArn string }{l.Certificate})
	}
	action := xmlAction{Type: "forward", TargetGroupArn: l.Targets}
	if l.Redirect != nil {
		r := l.Redirect
		action = xmlAction{Type: "redirect", RedirectConfig: &xmlRedirect{r["Protocol"], r["Host"], r["Port"], r["Path"], "#{query}", r["StatusCode"]}}
	}
	out.Actions = []xmlAction{action}
	return out
}

func listeners(x *exchange, balancer string) []*listener {
	return below[*listener](x.tx, x.Region, balancer)
}

// readListener reads what create and modify have in common.
func readListener(x *exchange, l *listener) (err error) {
	if l.Port, err = x.p.num("Port", l.Port); err != nil {
		return err
	}
	l.Protocol, l.Certificate = x.p.or("Protocol", l.Protocol), ""
	for _, c := range x.p.items("Certificates.member") {
		l.Certificate = c.str("CertificateArn")
	}
	if encrypted := l.Protocol == "HTTPS" || l.Protocol == "TLS"; encrypted && l.Certificate == "" {
		return failf("ValidationError", "A certificate must be specified for %s listeners", l.Protocol)
	}
	if err := usableCertificate(x, l.Certificate); err != nil {
		return err
	}
	for _, a := range x.p.items("DefaultActions.member") {
		l.Targets, l.Redirect = "", nil
		switch a.str("Type") {
		case "forward":
			t, err := targets(x, a.str("TargetGroupArn"))
			if err != nil {
				return err
			}
			l.Targets = t.ID
			if other := strings.HasPrefix(t.Protocol, "HTTP") != strings.HasPrefix(l.Protocol, "HTTP"); other {
				return failf("IncompatibleProtocols", "The target group protocol '%s' is not compatible with the listener protocol '%s'", t.Protocol, l.Protocol)
			}
		case "redirect":
			l.Redirect = map[string]string{
				"Protocol": a.or("RedirectConfig.Protocol", "#{protocol}"), "Host": a.or("RedirectConfig.Host", "#{host}"),
				"Port": a.or("RedirectConfig.Port", "#{port}"), "Path": a.or("RedirectConfig.Path", "/#{path}"), "StatusCode": a.str("RedirectConfig.StatusCode"),
			}
		}
	}
	for _, o := range listeners(x, l.Balancer) {
		if o.Port == l.Port && o.ID != l.ID {
			return failf("DuplicateListener", "A listener already exists on this port for this load balancer")
		}
	}
	return nil
}

// usableCertificate: one of the account must exist and be issued (Elastic Load Balancing API reference:
// CreateListener, CertificateNotFound and UnsupportedCertificate). Others are not known here.
func usableCertificate(x *exchange, arn string) error {
	if !strings.HasPrefix(arn, "arn:aws:acm:"+x.Region+":"+Account+":") {
		return nil
	}
	c, ok := find[*certificate](x.tx, x.Region, arn)
	switch {
	case !ok:
		return failf("CertificateNotFound", "Certificate '%s' not found", arn)
	case certificateStatus(x, c) != "ISSUED":
		return failf("UnsupportedCertificate", "The certificate '%s' must have a fully-qualified domain name, a supported signature, and a supported key size.", arn)
	}
	return nil
}

func createListener(x *exchange) (any, error) {
	b, err := balancer(x, x.p.str("LoadBalancerArn"))
	if err != nil {
		return nil, err
	}
	l := &listener{Balancer: b.ID}
	if err := readListener(x, l); err != nil {
		return nil, err
	}
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	_, path, _ := strings.Cut(b.ID, ":loadbalancer/")
	l.base = elbBase(x, "listener/"+path)
	l.Tags = tags
	x.tx.put(l)
	return manyListeners{List: []xmlListener{viewListener(l)}}, nil
}

func listenerOf(x *exchange, arn string) (*listener, error) {
	l, ok := find[*listener](x.tx, x.Region, arn)
	if !ok {
		return nil, failf("ListenerNotFound", "One or more listeners not found: '%s'", arn)
	}
	return l, nil
}

func describeListeners(x *exchange) (any, error) {
	var all []*listener
	if arns := x.p.strs("ListenerArns.member"); len(arns) > 0 {
		for _, arn := range arns {
			l, err := listenerOf(x, arn)
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	} else {
		b, err := balancer(x, x.p.str("LoadBalancerArn"))
		if err != nil {
			return nil, err
		}
		all = listeners(x, b.ID)
	}
	rows, next, err := elbPage(x, all)
	if err != nil {
		return nil, err
	}
	out := manyListeners{Marker: next}
	for _, l := range rows {
		out.List = append(out.List, viewListener(l))
	}
	return out, nil
}

func modifyListener(x *exchange) (any, error) {
	l, err := listenerOf(x, x.p.str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	n := *l
	if err := readListener(x, &n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return manyListeners{List: []xmlListener{viewListener(&n)}}, nil
}

func deleteListener(x *exchange) (any, error) {
	l, err := listenerOf(x, x.p.str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	x.tx.drop(l)
	return struct{}{}, nil
}
