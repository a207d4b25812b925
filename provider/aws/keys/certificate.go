package keys

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindCertificate is the kind certificate.
	KindCertificate  = "certificate"
	alternativesAttr = "alternatives"
	keyAlgorithm     = "key_algorithm"

	// Characters of the domain and of each further one. AWS Certificate Manager API Reference, RequestCertificate:
	// the domain name "cannot exceed 64 octets (characters), including periods", and an alternative name has "up to 253
	// octets in length".
	commonNameMax, alternativeMax = 64, 253
)

// kindOfCertificate returns the kind certificate. Each attribute of the configuration has the
// effect Replace, since a certificate cannot be changed. Its resources hold nothing: ACM accepts
// several certificates of one domain, so the new one is created before the old one is deleted.
func kindOfCertificate() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindCertificate,
			Advice: func(have resource.Observed) string {
				return "correct the cause, then run `ovi apply --replace certificate/" + have.Ref.Name + "`"
			},
			Doc: "A public certificate of ACM, validated by DNS.\n\n" +
				"AWS issues it once the validation record of each domain is in the DNS, and renews it while\n" +
				"the records are there: write a dns_record from validation_name and validation_value. Until\n" +
				"then it exists and is not issued; a listener waits for it, so let the listener depend on the\n" +
				"dns_record. A certificate for CloudFront must be in us-east-1. It cannot be changed, only\n" +
				"replaced; an existing one is adopted by its ARN.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, NameAttr: api.DomainAttr,
			Canonical: canonicalCertificate, CrossCheck: api.CrossChecks(api.TagTraits{IAM: true}), Replace: network.ReplaceVPC,
			Holds: resource.HoldsNothing,
			Attrs: []resource.Attribute{
				{
					Name: api.DomainAttr, Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: api.DomainPattern,
					Max: api.Bound(commonNameMax), Example: "www.example.com",
					Doc: "The domain; *.example.com for all right below it. A longer one is possible in alternatives.",
				},
				{
					Name: alternativesAttr, Type: resource.TSet, Effect: resource.Replace,
					Elem:    &resource.Attribute{Type: resource.TString, Pattern: api.DomainPattern, Max: api.Bound(alternativeMax)},
					Example: "[example.com]", Doc: "More domains. Each has its own validation record; " +
						"*.example.com shares the record of example.com.",
				},
				{
					Name: keyAlgorithm, Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, CreateDefault: resource.String("RSA_2048"),
					Enum: []string{"RSA_2048", "EC_prime256v1", "EC_secp384r1"}, Example: "EC_prime256v1",
					Doc: "The algorithm of its key.",
				},
				{
					Name: "validation_name", Type: resource.TString, Computed: true,
					Doc: "The name of the CNAME that proves that you control the domain.",
				},
				{Name: "validation_value", Type: resource.TString, Computed: true, Doc: "The value of that CNAME."},
				{
					Name: "validations", Type: resource.TList, Computed: true, Elem: &resource.Attribute{Type: resource.TString},
					Doc: "The validation records of all domains, as DOMAIN: NAME CNAME VALUE.",
				},
				{
					Name: "status", Type: resource.TString, Computed: true,
					Doc: "PENDING_VALIDATION, ISSUED, or why it is not usable.",
				},
				{Name: arnAttr, Type: resource.TString, Computed: true, Doc: "Its ARN, which is its ID."},
			},
		},
		List: listCertificates, Read: readCertificate, Tag: tagCertificate, Check: checkCertificate,
		Create: createCertificate, Update: updateCertificate, Remove: deleteCertificate,
		Calls: api.Calls{
			Service:  "acm",
			Observes: "DescribeCertificate ListCertificates ListTagsForCertificate",
			Creates:  "AddTagsToCertificate RequestCertificate",
			Changes:  "AddTagsToCertificate RemoveTagsFromCertificate",
			Deletes:  "DeleteCertificate",
		},
	}
}

// canonicalCertificate: ACM reports the domain among the alternatives too.
// observedCertificate removes it from observations. A configured alternative that is the domain
// would therefore differ at each plan, so it is an error.
func canonicalCertificate(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	name, ok := api.Text(a, api.DomainAttr)
	if ok {
		a = a.With(api.DomainAttr, resource.String(api.Domain(name)))
	}
	if _, set := a.Get(alternativesAttr); !set {
		return a, nil
	}
	out := resource.List{}
	for _, v := range a.List(alternativesAttr) {
		text, known := v.(resource.String)
		if !known { // it is known after apply
			out = append(out, v)
			continue
		}
		s := string(text)
		if api.Domain(s) == api.Domain(name) {
			return a, []resource.Problem{{Path: alternativesAttr, Summary: s + " is the domain itself", Suggestion: "remove it"}}
		}
		out = append(out, resource.String(api.Domain(s)))
	}
	return a.With(alternativesAttr, resource.SortSet(out)), nil
}

// certificateList reads those of all algorithms: without naming them, ACM lists some alone. ACM API
// Reference, ListCertificates: "Default filtering returns only RSA_2048 certificates".
// Certificates of ACME clients are not resources of this kind. ListCertificates: "By default, this
// action does not return certificates with a CertificateKeyPairOrigin of ACME".
func certificateList(ctx context.Context, g *api.Region) ([]types.CertificateSummary, error) {
	return api.Pages(ctx, "acm.ListCertificates",
		func(ctx context.Context, token *string) ([]types.CertificateSummary, *string, error) {
			const most = 1000
			out, err := g.ACM.ListCertificates(ctx, &acm.ListCertificatesInput{
				Includes: &types.Filters{KeyTypes: types.KeyAlgorithm("").Values()}, MaxItems: aws.Int32(most), NextToken: token,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.CertificateSummaryList, out.NextToken, nil
		})
}

// listCertificates takes two calls for each certificate: a list has neither tags nor validations.
// A certificate that is deleted after the list was read is omitted. If the caller may not read a
// certificate, it is listed as unreadable, and the others are not affected.
func listCertificates(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := certificateList(ctx, s.Region)
	if err != nil {
		return nil, err
	}
	return api.ObserveEach(ctx, all, func(ctx context.Context, c types.CertificateSummary) (resource.Observed, error) {
		return readCertificate(ctx, s.Region, aws.ToString(c.CertificateArn))
	}, func(c types.CertificateSummary, denied error) resource.Observed {
		o := resource.Observed{ID: aws.ToString(c.CertificateArn)}
		o.SetUnreadable(denied.Error())
		s.Identify(&o, KindCertificate, api.Domain(aws.ToString(c.DomainName)), nil)
		return o
	})
}

// readCertificate returns one certificate with its tags, in two calls.
func readCertificate(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	out, err := g.ACM.DescribeCertificate(ctx, &acm.DescribeCertificateInput{CertificateArn: aws.String(id)})
	if err != nil {
		return resource.Observed{}, api.Classify("", err)
	}
	tags, err := certificateTags(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedCertificate(g, out.Certificate, tags), nil
}

// certificateTags returns all tags of a certificate. A certificate that does not exist is an error
// that is absent.
func certificateTags(ctx context.Context, g *api.Region, id string) (map[string]string, error) {
	out, err := g.ACM.ListTagsForCertificate(ctx, &acm.ListTagsForCertificateInput{CertificateArn: aws.String(id)})
	if err != nil {
		return nil, api.Classify("", err)
	}
	tags := map[string]string{}
	for _, t := range out.Tags {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return tags, nil
}

// observedCertificate converts an answer of ACM to a resource. A certificate that waits for its
// validation is unknown and not pending: it depends on DNS records that an operator may never
// write, and pending would become a failure after the grace time.
// CertificateDetail, Status: "ACM makes repeated attempts to validate a certificate for 72 hours
// and then times out." After that the certificate is failing, and only a new request helps.
func observedCertificate(g *api.Region, c *types.CertificateDetail, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(c.CertificateArn), Health: resource.Healthy, Since: aws.ToTime(c.CreatedAt)}
	switch c.Status {
	case types.CertificateStatusIssued, types.CertificateStatusInactive:
	case types.CertificateStatusPendingValidation:
		o.Health, o.Message = resource.Unclear, "not issued: its validation records are not in the DNS"
	default:
		o.Health, o.Message = resource.Failing, strings.TrimSuffix(string(c.Status)+": "+string(c.FailureReason), ": ")
	}
	name := api.Domain(aws.ToString(c.DomainName))
	a := api.Attrs{api.DomainAttr: resource.String(name), "status": resource.String(c.Status)}
	a.Text(arnAttr, c.CertificateArn)
	// The spellings RSA-2048 and RSA_2048 name one algorithm, and the configuration has the second.
	if c.KeyAlgorithm != "" {
		a[keyAlgorithm] = resource.String(strings.ReplaceAll(string(c.KeyAlgorithm), "-", "_"))
	}
	// CertificateDetail: "The subject alternative names include the canonical domain name (CN) of the certificate". It is
	// omitted, and each other name is shown once.
	var others []string
	for _, s := range c.SubjectAlternativeNames {
		if d := api.Domain(s); d != name {
			others = append(others, d)
		}
	}
	slices.Sort(others)
	if others = slices.Compact(others); len(others) > 0 {
		a.Texts(alternativesAttr, others)
	}
	validationsOf(a, c, name)
	o.Attrs = a.Build()
	g.Identify(&o, KindCertificate, name, tags)
	// ManagedBy is the AWS service that manages the certificate. A system that the tags name comes
	// first.
	if c.ManagedBy != "" && o.OwnedBy == "" {
		o.OwnedBy = string(c.ManagedBy)
	}
	return o
}

// ACM returns the records some seconds after the request; until then the attributes are not set.
// Only the domain has attributes of its own for its record. The records of the alternatives are in
// validations.
func validationsOf(a api.Attrs, c *types.CertificateDetail, name string) {
	var all []string
	for _, v := range c.DomainValidationOptions {
		r := v.ResourceRecord
		if r == nil {
			continue
		}
		d, record, value := api.Domain(aws.ToString(v.DomainName)), api.Domain(aws.ToString(r.Name)),
			api.Domain(aws.ToString(r.Value))
		if d == name {
			a["validation_name"], a["validation_value"] = resource.String(record), resource.String(value)
		}
		all = append(all, fmt.Sprintf("%s: %s CNAME %s", d, record, value))
	}
	if slices.Sort(all); len(all) > 0 {
		a.Texts("validations", all)
	}
}

// tagCertificate sets and removes tags of a certificate and keeps others.
// A tag is removed by its key alone. RemoveTagsFromCertificate: "If you do not specify the value
// portion of the tag when calling this function, the tag will be removed regardless of value".
func tagCertificate(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		in := &acm.AddTagsToCertificateInput{CertificateArn: aws.String(id), Tags: acmTags(set)}
		if _, err := g.ACM.AddTagsToCertificate(ctx, in); err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	in := &acm.RemoveTagsFromCertificateInput{CertificateArn: aws.String(id)}
	for _, k := range drop {
		in.Tags = append(in.Tags, types.Tag{Key: aws.String(k)})
	}
	_, err := g.ACM.RemoveTagsFromCertificate(ctx, in)
	return api.Classify("", err)
}

// acmTags returns tags in the form of ACM. They are sorted, so that a repeated request is equal to
// the first one.
func acmTags(tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

// checkCertificate: ACM has no call that tells whether a certificate could be requested, and two of a domain may
// exist.
func checkCertificate(context.Context, *api.Region, provider.Request) error { return nil }

// createCertificate has a token, which is forgotten after an hour, and looks for the tag of its key
// besides. It does not wait until the certificate is issued: that takes records which are made from
// what it answers. ACM API Reference, RequestCertificate: "Idempotency tokens time out after one
// hour". ACM accepts any number of certificates of one domain, so the search by tag decides after
// that time.
func createCertificate(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	algorithm, _ := api.Text(a, keyAlgorithm)
	sum := sha256.Sum256([]byte(r.Key))
	const tokenLength = 32
	in := &acm.RequestCertificateInput{
		DomainName: api.DesiredText(a, api.DomainAttr), SubjectAlternativeNames: a.Texts(alternativesAttr),
		ValidationMethod: types.ValidationMethodDns,
		KeyAlgorithm:     types.KeyAlgorithm(algorithm),
		IdempotencyToken: aws.String(hex.EncodeToString(sum[:])[:tokenLength]),
		Tags:             acmTags(g.BirthTags(r, false)),
	}
	id, err := api.NoRetry(ctx, g, func() (string, error) {
		out, err := g.ACM.RequestCertificate(ctx, in)
		if err != nil {
			return "", err
		}
		return aws.ToString(out.CertificateArn), nil
	}, func() ([]string, error) { return certificatesWith(ctx, g, r) })
	if err != nil {
		return resource.Observed{}, err
	}
	var o resource.Observed
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the validation records of "+id, func(ctx context.Context) error {
		if o, err = readCertificate(ctx, g, id); err != nil {
			return err
		}
		// RequestCertificate: "there is a delay of several seconds before you can retrieve
		// information about the new certificate". A dns_record needs the validation record, so the
		// create waits for it.
		if _, there := api.Text(o.Attrs, "validation_name"); !there && o.Health == resource.Unclear {
			return api.ErrWait
		}
		return nil
	})
	return o, err
}

// certificatesWith finds what was created with the key of a request. ACM cannot filter by tag, so
// the tags of each certificate of the domain are read.
// An error to read one of them fails the search: with an incomplete result, the caller would
// request a second certificate.
func certificatesWith(ctx context.Context, g *api.Region, r provider.Request) ([]string, error) {
	all, err := certificateList(ctx, g)
	if err != nil {
		return nil, err
	}
	name, _ := api.Text(r.Desired.Attrs, api.DomainAttr)
	var out []string
	for _, c := range all {
		if api.Domain(aws.ToString(c.DomainName)) != name {
			continue
		}
		tags, err := certificateTags(ctx, g, aws.ToString(c.CertificateArn))
		// A certificate that was deleted after the list was read is skipped.
		if err != nil && !api.Absent(err) {
			return nil, err
		}
		if tags[api.TagKey] == r.Key {
			out = append(out, aws.ToString(c.CertificateArn))
		}
	}
	return out, nil
}

// updateCertificate has nothing to do but the tags, which are written already.
func updateCertificate(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return readCertificate(ctx, g, r.Have.ID)
}

// deleteCertificate names what uses one that is in use. ACM API Reference, DeleteCertificate: a
// certificate that a service uses cannot be deleted. A listener that was deleted a moment ago may
// still count.
func deleteCertificate(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.ACM.DeleteCertificate(ctx, &acm.DeleteCertificateInput{CertificateArn: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		out, err := g.ACM.DescribeCertificate(ctx, &acm.DescribeCertificateInput{CertificateArn: aws.String(id)})
		if err != nil {
			return nil, api.Classify("", err)
		}
		return g.Balancers(ctx, out.Certificate.InUseBy), nil
	}, "ResourceInUseException")
}

// AwaitIssued waits for a certificate of ACM that a listener is to have: AWS refuses one that is
// not issued. Where it may not be read, the listener's own call tells. The wait has the limit of
// compute resources. A certificate in any other status than PENDING_VALIDATION ends it without an
// error, and the service that uses the certificate decides.
func AwaitIssued(ctx context.Context, g *api.Region, a resource.Attrs) error {
	id, set := api.Text(a, KindCertificate)
	// Only a certificate of ACM has a status to wait for.
	if !set || !strings.Contains(id, ":acm:") {
		return nil
	}
	pending := false
	err := g.Await(ctx, g.Wait.Compute, "the certificate "+id+" to be issued", func(ctx context.Context) error {
		out, err := g.ACM.DescribeCertificate(ctx, &acm.DescribeCertificateInput{CertificateArn: aws.String(id)})
		if pending = err == nil && out.Certificate.Status == types.CertificateStatusPendingValidation; pending {
			return api.ErrWait
		}
		return nil
	})
	if err != nil && pending && ctx.Err() == nil {
		return api.Mistake("acm.DescribeCertificate",
			fmt.Errorf("%s is not issued: its validation records are not in the DNS", id),
			"add a dns_record with its validation_name and validation_value, and name that in depends_on of the listener")
	}
	return err
}
