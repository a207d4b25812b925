package awsfake

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func acmActions() map[string]handler {
	return map[string]handler{
		"RequestCertificate": requestCertificate, "DescribeCertificate": describeCertificate, "ListCertificates": listCertificates,
		"DeleteCertificate": deleteCertificate, "AddTagsToCertificate": tagCertificate, "RemoveTagsFromCertificate": untagCertificate,
		"ListTagsForCertificate": listCertificateTags,
	}
}

func certificateAt(x *exchange, arn string) (*certificate, error) {
	c, ok := find[*certificate](x.tx, x.Region, arn)
	if !ok {
		return nil, failf("ResourceNotFoundException", "Could not find certificate %s.", arn)
	}
	return c, nil
}

func certificateOf(x *exchange) (*certificate, error) {
	var in struct{ CertificateArn string }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	return certificateAt(x, in.CertificateArn)
}

// requestCertificate: a token makes one certificate in an hour (ACM API reference: RequestCertificate).
func requestCertificate(x *exchange) (any, error) {
	var in struct {
		DomainName, ValidationMethod, IdempotencyToken, KeyAlgorithm string
		SubjectAlternativeNames                                      []string
		Tags                                                         []jsonTag
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	switch {
	case !dnsName.MatchString(in.DomainName):
		return nil, failf("ValidationException", "Value '%s' at 'domainName' failed to satisfy constraint", in.DomainName)
	case in.ValidationMethod != "DNS":
		return nil, failf("InvalidParameterException", "The sandbox validates by DNS only.")
	}
	type made struct{ CertificateArn string }
	for _, c := range list[*certificate](x.tx, x.Region) {
		if c.Token != "" && c.Token == in.IdempotencyToken && c.Domain == in.DomainName && x.now.Sub(c.Made).Hours() < 1 {
			return made{c.ID}, nil
		}
	}
	tags := plainTags(in.Tags)
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	c := &certificate{base: x.tx.fresh("", x.Region), Domain: in.DomainName, Algorithm: cmp.Or(in.KeyAlgorithm, "RSA_2048"), Token: in.IdempotencyToken}
	h := x.tx.st.hex("acm", c.Seq)
	c.ID = "arn:aws:acm:" + x.Region + ":" + Account + ":certificate/" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
	c.Others, c.Tags, c.Visible = in.SubjectAlternativeNames, tags, through(x.now, x.settle, "visible", "hidden")
	x.tx.put(c)
	return made{c.ID}, nil
}

type jsonRecord struct{ Name, Type, Value string }

type jsonValidation struct {
	DomainName, ValidationStatus, ValidationMethod string
	ResourceRecord                                 *jsonRecord `json:",omitempty"`
}

// validation is the record of a domain; a wildcard has that of the domain below which it is.
func validation(x *exchange, c *certificate, domain string) jsonRecord {
	plain := strings.TrimPrefix(dnsLower(domain), "*.")
	h := fingerprint(x, c.ID+plain)
	return jsonRecord{"_" + h[:32] + "." + plain, "CNAME", "_" + h[32:64] + ".sandbox.acm-validations.aws."}
}

// proven reports that the record of a domain is in a public zone.
func proven(x *exchange, r jsonRecord) bool {
	return slices.ContainsFunc(list[*recordSet](x.tx, ""), func(s *recordSet) bool {
		z, ok := find[*hostedZone](x.tx, "", s.Zone)
		return ok && !z.Private && s.Type == r.Type && s.Name == dnsLower(r.Name) && len(s.Values) == 1 && dnsLower(s.Values[0]) == dnsLower(r.Value)
	})
}

func domains(x *exchange, c *certificate) []string {
	out := []string{c.Domain}
	for _, d := range c.Others {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func certificateStatus(x *exchange, c *certificate) string {
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

// issueCertificates issues all certificates, as if their records were in the DNS of others.
func issueCertificates(t *tx) error {
	for _, rows := range t.st.tables["certificate"] {
		for _, e := range rows.rows() {
			if one, ok := e.(*certificate); ok && !one.Issued {
				n := *one
				n.Issued = true
				t.put(&n)
			}
		}
	}
	return nil
}

// usedBy are the load balancers whose listeners have a certificate.
func usedBy(x *exchange, c *certificate) []string {
	out := []string{}
	for _, e := range usersOf(x.tx, x.Region, c.ID) {
		if balancer := e.(dependent).parent(); !slices.Contains(out, balancer) {
			out = append(out, balancer)
		}
	}
	return out
}

func describeCertificate(x *exchange) (any, error) {
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
		CertificateArn: c.ID, DomainName: c.Domain, Status: certificateStatus(x, c), Type: "AMAZON_ISSUED", KeyAlgorithm: strings.ReplaceAll(c.Algorithm, "RSA_", "RSA-"),
		SubjectAlternativeNames: domains(x, c), InUseBy: usedBy(x, c), CreatedAt: seconds(c.Made),
	}
	for _, name := range domains(x, c) {
		r := validation(x, c, name)
		v := jsonValidation{DomainName: name, ValidationStatus: "PENDING_VALIDATION", ValidationMethod: "DNS"}
		if proven(x, r) {
			v.ValidationStatus = "SUCCESS"
		}
		if c.Visible.at(x.now) == "visible" {
			v.ResourceRecord = &r
		}
		d.DomainValidationOptions = append(d.DomainValidationOptions, v)
	}
	return struct{ Certificate detail }{d}, nil
}

// listCertificates lists RSA_2048 alone unless others are named (ACM API reference: ListCertificates, Filters).
func listCertificates(x *exchange) (any, error) {
	var in struct {
		MaxItems  int
		NextToken string
		Includes  struct {
			KeyTypes []string `json:"keyTypes"`
		}
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	kinds := in.Includes.KeyTypes
	if len(kinds) == 0 {
		kinds = []string{"RSA_1024", "RSA_2048"}
	}
	all := slices.DeleteFunc(list[*certificate](x.tx, x.Region), func(c *certificate) bool { return !slices.Contains(kinds, c.Algorithm) })
	const most = 1000
	rows, next, err := jsonPage(all, in.NextToken, in.MaxItems, most, failf("ValidationException", "The NextToken is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct{ CertificateArn, DomainName, Status string }
	out := []row{}
	for _, c := range rows {
		out = append(out, row{c.ID, c.Domain, certificateStatus(x, c)})
	}
	return struct {
		CertificateSummaryList []row
		NextToken              *string `json:",omitempty"`
	}{out, next}, nil
}

// deleteCertificate: one that a load balancer has stays (ACM API reference: DeleteCertificate).
func deleteCertificate(x *exchange) (any, error) {
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	if len(usedBy(x, c)) > 0 {
		return nil, failf("ResourceInUseException", "Certificate %s is in use.", c.ID)
	}
	x.tx.drop(c)
	return struct{}{}, nil
}

func tagCertificate(x *exchange) (any, error) {
	var in struct{ Tags []jsonTag }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.changeTags(c, func(have map[string]string) { maps.Copy(have, plainTags(in.Tags)) })
}

func untagCertificate(x *exchange) (any, error) {
	var in struct{ Tags []jsonTag }
	if err := x.body(&in); err != nil {
		return nil, err
	}
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.changeTags(c, func(have map[string]string) { without(have, slices.Collect(maps.Keys(plainTags(in.Tags)))) })
}

func listCertificateTags(x *exchange) (any, error) {
	c, err := certificateOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Tags []jsonTag }{jsonTags(c.Tags)}, nil
}
