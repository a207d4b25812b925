package balance

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/keys"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
		action = xmlAction{
			Type:           "redirect",
			RedirectConfig: &xmlRedirect{r["Protocol"], r["Host"], r["Port"], r["Path"], "#{query}", r["StatusCode"]},
		}
	}
	out.Actions = []xmlAction{action}
	return out
}

func listeners(x *core.Exchange, balancer string) []*listener {
	return core.Below[*listener](x.Tx, x.Region, balancer)
}

// readListener reads what create and modify have in common.
func readListener(x *core.Exchange, l *listener) (err error) {
	if l.Port, err = x.P.Num("Port", l.Port); err != nil {
		return err
	}
	l.Protocol, l.Certificate = x.P.Or("Protocol", l.Protocol), ""
	for _, c := range x.P.Items("Certificates.member") {
		l.Certificate = c.Str("CertificateArn")
	}
	if encrypted := l.Protocol == "HTTPS" || l.Protocol == "TLS"; encrypted && l.Certificate == "" {
		return wire.Failf("ValidationError", "A certificate must be specified for %s listeners", l.Protocol)
	}
	if err := usableCertificate(x, l.Certificate); err != nil {
		return err
	}
	for _, a := range x.P.Items("DefaultActions.member") {
		l.Targets, l.Redirect = "", nil
		switch a.Str("Type") {
		case "forward":
			t, err := Targets(x, a.Str("TargetGroupArn"))
			if err != nil {
				return err
			}
			l.Targets = t.ID
			if other := strings.HasPrefix(t.Protocol, "HTTP") != strings.HasPrefix(l.Protocol, "HTTP"); other {
				return wire.Failf("IncompatibleProtocols",
					"The target group protocol '%s' is not compatible with the listener protocol '%s'", t.Protocol, l.Protocol)
			}
		case "redirect":
			l.Redirect = map[string]string{
				"Protocol": a.Or("RedirectConfig.Protocol", "#{protocol}"), "Host": a.Or("RedirectConfig.Host", "#{host}"),
				"Port": a.Or("RedirectConfig.Port", "#{port}"), "Path": a.Or("RedirectConfig.Path", "/#{path}"),
				"StatusCode": a.Str("RedirectConfig.StatusCode"),
			}
		}
	}
	for _, o := range listeners(x, l.Balancer) {
		if o.Port == l.Port && o.ID != l.ID {
			return wire.Failf("DuplicateListener", "A listener already exists on this port for this load balancer")
		}
	}
	return nil
}

// usableCertificate: one of the account must exist and be issued (Elastic Load Balancing API reference:
// CreateListener, CertificateNotFound and UnsupportedCertificate). Others are not known here.
func usableCertificate(x *core.Exchange, arn string) error {
	if !strings.HasPrefix(arn, "arn:aws:acm:"+x.Region+":"+wire.Account+":") {
		return nil
	}
	c, ok := core.Find[*keys.Certificate](x.Tx, x.Region, arn)
	switch {
	case !ok:
		return wire.Failf("CertificateNotFound", "Certificate '%s' not found", arn)
	case keys.CertificateStatus(x, c) != "ISSUED":
		return wire.Failf("UnsupportedCertificate",
			"The certificate '%s' must have a fully-qualified domain name, a supported signature, and a supported key size.",
			arn)
	}
	return nil
}

func createListener(x *core.Exchange) (any, error) {
	b, err := balancer(x, x.P.Str("LoadBalancerArn"))
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
	l.Base = elbBase(x, "listener/"+path)
	l.Tags = tags
	x.Tx.Put(l)
	return manyListeners{List: []xmlListener{viewListener(l)}}, nil
}

func listenerOf(x *core.Exchange, arn string) (*listener, error) {
	l, ok := core.Find[*listener](x.Tx, x.Region, arn)
	if !ok {
		return nil, wire.Failf("ListenerNotFound", "One or more listeners not found: '%s'", arn)
	}
	return l, nil
}

func describeListeners(x *core.Exchange) (any, error) {
	var all []*listener
	if arns := x.P.Strs("ListenerArns.member"); len(arns) > 0 {
		for _, arn := range arns {
			l, err := listenerOf(x, arn)
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	} else {
		b, err := balancer(x, x.P.Str("LoadBalancerArn"))
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

func modifyListener(x *core.Exchange) (any, error) {
	l, err := listenerOf(x, x.P.Str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	n := *l
	if err := readListener(x, &n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return manyListeners{List: []xmlListener{viewListener(&n)}}, nil
}

func deleteListener(x *core.Exchange) (any, error) {
	l, err := listenerOf(x, x.P.Str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	x.Tx.Drop(l)
	return struct{}{}, nil
}
