package keys

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/dns"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func acmActions() map[string]core.Handler {
	return map[string]core.Handler{
		"RequestCertificate": requestCertificate, "DescribeCertificate": describeCertificate,
		"ListCertificates":  listCertificates,
		"DeleteCertificate": deleteCertificate, "AddTagsToCertificate": tagCertificate,
		"RemoveTagsFromCertificate": untagCertificate,
		"ListTagsForCertificate":    listCertificateTags,
	}
}

func certificateOf(x *core.Exchange) (*Certificate, error) {
	var in struct{ CertificateArn string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	c, ok := core.Find[*Certificate](x.Tx, x.Region, in.CertificateArn)
	if !ok {
		return nil, wire.Failf("ResourceNotFoundException", "Could not find certificate %s.", in.CertificateArn)
	}
	return c, nil
}

// requestCertificate: a token makes one certificate in an hour (ACM API reference: RequestCertificate).
func requestCertificate(x *core.Exchange) (any, error) {
	var in struct {
		DomainName, ValidationMethod, IdempotencyToken, KeyAlgorithm string
		SubjectAlternativeNames                                      []string
		Tags                                                         []core.JSONTag
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	switch {
	case !dns.DNSName.MatchString(in.DomainName):
		return nil, wire.Failf("ValidationException", "Value '%s' at 'domainName' failed to satisfy constraint",
			in.DomainName)
	case in.ValidationMethod != "DNS":
		return nil, wire.Failf("InvalidParameterException", "The sandbox validates by DNS only.")
	}
	type made struct{ CertificateArn string }
	for _, c := range core.List[*Certificate](x.Tx, x.Region) {
		if c.Token != "" && c.Token == in.IdempotencyToken && c.Domain == in.DomainName && x.Now.Sub(c.Made).Hours() < 1 {
			return made{c.ID}, nil
		}
	}
	tags := core.PlainTags(in.Tags)
	if err := core.CheckTags(tags); err != nil {
		return nil, err
	}
	c := &Certificate{
		Base: x.Tx.Fresh("", x.Region), Domain: in.DomainName,
		Algorithm: cmp.Or(in.KeyAlgorithm, "RSA_2048"), Token: in.IdempotencyToken,
	}
	h := x.Tx.St.Hex("acm", c.Seq)
	c.ID = "arn:aws:acm:" + x.Region + ":" + wire.Account + ":certificate/" + h[:8] + "-" + h[8:12] + "-" + h[12:16] +
		"-" + h[16:20] + "-" + h[20:32]
	c.Others, c.Tags, c.Visible = in.SubjectAlternativeNames, tags, core.Through(x.Now, x.Settle, "visible", "hidden")
	x.Tx.Put(c)
	return made{c.ID}, nil
}

type jsonRecord struct{ Name, Type, Value string }

type jsonValidation struct {
	DomainName, ValidationStatus, ValidationMethod string
	ResourceRecord                                 *jsonRecord `json:",omitempty"`
}

// validation is the record of a domain; a wildcard has that of the domain below which it is.
func validation(x *core.Exchange, c *Certificate, domain string) jsonRecord {
	plain := strings.TrimPrefix(dns.Lower(domain), "*.")
	h := fingerprint(x, c.ID+plain)
	return jsonRecord{"_" + h[:32] + "." + plain, "CNAME", "_" + h[32:64] + ".sandbox.acm-validations.aws."}
}

// proven reports that the record of a domain is in a public zone.
func proven(x *core.Exchange, r jsonRecord) bool {
	return slices.ContainsFunc(core.List[*dns.RecordSet](x.Tx, ""), func(s *dns.RecordSet) bool {
		z, ok := core.Find[*dns.HostedZone](x.Tx, "", s.Zone)
		return ok && !z.Private && s.Type == r.Type && s.Name == dns.Lower(r.Name) && len(s.Values) == 1 &&
			dns.Lower(s.Values[0]) == dns.Lower(r.Value)
	})
}

func domains(x *core.Exchange, c *Certificate) []string {
	out := []string{c.Domain}
	for _, d := range c.Others {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// CertificateStatus is the state of a certificate at the time of the call.
func CertificateStatus(x *core.Exchange, c *Certificate) string {
	if c.Issued {
		return "ISSUED"
	}
	for _, d := range domains(x, c) {
		if !proven(x, validation(x, c, d)) {
			return "PENDING_VALIDATION"
		}
	}
	return "ISSUED"
}

// IssueCertificates issues all certificates, as if their records were in the DNS of others.
func IssueCertificates(t *core.Tx) error {
	for _, rows := range t.St.Tables["certificate"] {
		for _, e := range rows.Rows() {
			if one, ok := e.(*Certificate); ok && !one.Issued {
				n := *one
				n.Issued = true
				t.Put(&n)
			}
		}
	}
	return nil
}

// usedBy are the load balancers whose listeners have a certificate.
func usedBy(x *core.Exchange, c *Certificate) []string {
	out := []string{}
	for _, e := range core.UsersOf(x.Tx, x.Region, c.ID) {
		if balancer := e.(core.Dependent).Parent(); !slices.Contains(out, balancer) {
			out = append(out, balancer)
		}
	}
	return out
}

func describeCertificate(x *core.Exchange) (any, error) {
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	type detail struct {
		CertificateArn, DomainName, Status, Type, KeyAlgorithm string
		SubjectAlternativeNames, InUseBy                       []string
		DomainValidationOptions                                []jsonValidation
		CreatedAt                                              float64
	}
	d := detail{
		CertificateArn: c.ID, DomainName: c.Domain, Status: CertificateStatus(x, c), Type: "AMAZON_ISSUED",
		KeyAlgorithm:            strings.ReplaceAll(c.Algorithm, "RSA_", "RSA-"),
		SubjectAlternativeNames: domains(x, c), InUseBy: usedBy(x, c), CreatedAt: wire.Seconds(c.Made),
	}
	for _, name := range domains(x, c) {
		r := validation(x, c, name)
		v := jsonValidation{DomainName: name, ValidationStatus: "PENDING_VALIDATION", ValidationMethod: "DNS"}
		if proven(x, r) {
			v.ValidationStatus = "SUCCESS"
		}
		if c.Visible.At(x.Now) == "visible" {
			v.ResourceRecord = &r
		}
		d.DomainValidationOptions = append(d.DomainValidationOptions, v)
	}
	return struct{ Certificate detail }{d}, nil
}

// listCertificates lists RSA_2048 alone unless others are named (ACM API reference: ListCertificates, Filters).
func listCertificates(x *core.Exchange) (any, error) {
	var in struct {
		MaxItems  int
		NextToken string
		Includes  struct {
			KeyTypes []string `json:"keyTypes"`
		}
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	kinds := in.Includes.KeyTypes
	if len(kinds) == 0 {
		kinds = []string{"RSA_1024", "RSA_2048"}
	}
	all := slices.DeleteFunc(core.List[*Certificate](x.Tx, x.Region), func(c *Certificate) bool {
		return !slices.Contains(kinds, c.Algorithm)
	})
	const most = 1000
	rows, next, err := core.JSONPage(all, in.NextToken, in.MaxItems, most,
		wire.Failf("ValidationException", "The NextToken is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct{ CertificateArn, DomainName, Status string }
	out := []row{}
	for _, c := range rows {
		out = append(out, row{c.ID, c.Domain, CertificateStatus(x, c)})
	}
	return struct {
		CertificateSummaryList []row
		NextToken              *string `json:",omitempty"`
	}{out, next}, nil
}

// deleteCertificate: one that a load balancer has stays (ACM API reference: DeleteCertificate).
func deleteCertificate(x *core.Exchange) (any, error) {
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	if len(usedBy(x, c)) > 0 {
		return nil, wire.Failf("ResourceInUseException", "Certificate %s is in use.", c.ID)
	}
	x.Tx.Drop(c)
	return struct{}{}, nil
}

func tagCertificate(x *core.Exchange) (any, error) {
	var in struct{ Tags []core.JSONTag }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(c, func(have map[string]string) { maps.Copy(have, core.PlainTags(in.Tags)) })
}

func untagCertificate(x *core.Exchange) (any, error) {
	var in struct{ Tags []core.JSONTag }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(c, func(have map[string]string) {
		without(have, slices.Collect(maps.Keys(core.PlainTags(in.Tags))))
	})
}

func listCertificateTags(x *core.Exchange) (any, error) {
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Tags []core.JSONTag }{core.JSONTags(c.Tags)}, nil
}
