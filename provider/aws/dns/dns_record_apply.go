package dns

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// record reads the record of a name and type; of several with a routing policy the first.
// ListResourceRecordSets starts at the first record that is not before the name, so the answer may
// be another record, which does not count. The answer "includes records that are PENDING" (Amazon
// Route 53 API Reference), so a new record is found before all name servers have it.
func record(ctx context.Context, g *api.Region, zone, name, kind, set string) (types.ResourceRecordSet, error) {
	const op = "route53.ListResourceRecordSets"
	in := &route53.ListResourceRecordSetsInput{
		HostedZoneId: aws.String(zone), StartRecordName: aws.String(name), StartRecordType: types.RRType(kind),
		MaxItems: aws.Int32(1),
	}
	if set != "" {
		in.StartRecordIdentifier = aws.String(set)
	}
	out, err := g.DNS.ListResourceRecordSets(ctx, in)
	if err != nil {
		return types.ResourceRecordSet{}, api.Classify(op, err)
	}
	var found []types.ResourceRecordSet
	for _, s := range out.ResourceRecordSets {
		if api.Domain(aws.ToString(s.Name)) == name && string(s.Type) == kind &&
			(set == "" || aws.ToString(s.SetIdentifier) == set) {
			found = append(found, s)
		}
	}
	return api.Only(found, nil, op, name+" "+kind)
}

// readRecord returns one record by its ID. A record whose ID differs in form is absent: one record
// must not have two IDs.
func readRecord(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	zone, s, err := recordByID(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedRecord(g, zone, "", s), nil
}

// recordByID returns the record of an ID, and the ID of its zone. An ID of another form is a
// mistake of the operator, who may have written it to adopt a record.
func recordByID(ctx context.Context, g *api.Region, id string) (zone string, s types.ResourceRecordSet, err error) {
	const parts = 4
	p := strings.SplitN(id, "/", parts)
	if len(p) < parts-1 {
		return "", s, api.Mistake("", fmt.Errorf("invalid ID of a record: %q", id),
			"use ZONE/NAME/TYPE, as in Z0123456789ABC/www.example.com/A")
	}
	p = append(p, "")
	if s, err = record(ctx, g, p[0], api.Domain(p[1]), p[2], p[3]); err == nil && recordID(p[0], s) != id {
		_, err = api.Only([]string(nil), nil, "route53.ListResourceRecordSets", id)
	}
	return p[0], s, err
}

// tagRecord: records have no tags, and the engine asks for none.
func tagRecord(context.Context, *api.Region, string, map[string]string, []string) error { return nil }

// configuredRecord is the record that a configuration stands for. An alias has neither a TTL nor
// values. Only here the text of a TXT record gets its quotes.
func configuredRecord(a resource.Attrs) types.ResourceRecordSet {
	kind, _ := api.Text(a, recordType)
	out := types.ResourceRecordSet{Name: api.DesiredText(a, api.DomainAttr), Type: types.RRType(kind)}
	if v, ok := a.Get(api.AliasAttr); ok {
		to, _ := v.(resource.Attrs)
		healthy, _ := api.Flag(to, "check_health")
		out.AliasTarget = &types.AliasTarget{
			DNSName:      api.DesiredText(to, "dns_name"),
			HostedZoneId: api.DesiredText(to, "zone_id"), EvaluateTargetHealth: healthy,
		}
		return out
	}
	if ttl, ok := api.Number(a, "ttl"); ok {
		out.TTL = aws.Int64(ttl)
	}
	for _, v := range a.Texts(valuesAttr) {
		if kind == "TXT" {
			v = quoteText(v)
		}
		out.ResourceRecords = append(out.ResourceRecords, types.ResourceRecord{Value: aws.String(v)})
	}
	return out
}

// asConfigured reports that a record is what a configuration says, with all that it says. A record
// with a routing policy never is: a configuration cannot describe it.
func asConfigured(g *api.Region, zone string, s types.ResourceRecordSet, a resource.Attrs) bool {
	if s.SetIdentifier != nil {
		return false
	}
	if _, alias := a.Get(api.AliasAttr); alias {
		a = a.Without("ttl") // the default of a new record, which an alias has not
	}
	o := observedRecord(g, zone, "", s)
	return len(resource.Diff(a, o.Attrs, kindOfRecord().Schema, resource.DiffOptions{})) == 0
}

// recordFor finds the record that has the name of a request. It is own if this process has sent its creation
// and it is as configured: Route 53 keeps nothing by which it could be told from another one. What an earlier
// process has created the engine recognizes. found is nil if no record has the name and type. A
// zone that does not exist is an error.
func recordFor(ctx context.Context, g *api.Region, r provider.Request) (found *resource.Observed, own bool, err error) {
	a := r.Desired.Attrs
	zone, _ := api.Text(a, zoneAttr)
	name, _ := api.Text(a, api.DomainAttr)
	kind, _ := api.Text(a, recordType)
	s, err := record(ctx, g, zone, name, kind, "")
	if api.Absent(err) && !api.HasCode(err, "NoSuchHostedZone") {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	o := observedRecord(g, zone, "", s)
	_, sent := g.Sent.Load(r.Key)
	return &o, sent && r.Key != "" && asConfigured(g, zone, s, a), nil
}

// checkRecord reports a record that exists under the name and type. Route 53 has no dry run.
func checkRecord(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs, zoneAttr) {
		return nil
	}
	o, own, err := recordFor(ctx, g, r)
	if err != nil || o == nil || own || o.ID == r.Have.ID {
		return err
	}
	return api.Taken(*o, r)
}

// createRecord creates what does not exist: CREATE is refused where another hand was faster, and
// never changes what that has made. The key of a request is noted before its call, so that after a
// lost answer the record can be recognized as own. The note lives in this process alone; after a
// restart the engine recognizes the record by its attributes.
func createRecord(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	zone, _ := api.Text(r.Desired.Attrs, zoneAttr)
	o, own, err := recordFor(ctx, g, r)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case own:
		return *o, nil
	case o != nil:
		return resource.Observed{}, api.Taken(*o, r)
	}
	g.Sent.Store(r.Key, true)
	made, err := api.NoRetry(ctx, g, func() (resource.Observed, error) {
		err := changeRecords(ctx, g, zone, types.Change{
			Action:            types.ChangeActionCreate,
			ResourceRecordSet: new(configuredRecord(r.Desired.Attrs)),
		})
		return resource.Observed{}, err
	}, func() ([]resource.Observed, error) {
		o, own, err := recordFor(ctx, g, r)
		if err != nil || !own {
			return nil, err
		}
		return []resource.Observed{*o}, nil
	})
	if err != nil || made.ID != "" {
		return made, err
	}
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the record", func(ctx context.Context) error {
		o, _, err := recordFor(ctx, g, r)
		if err == nil && o == nil {
			return api.ErrWait
		}
		if err == nil {
			made = *o
		}
		return err
	})
	return made, err
}

// changeRecords makes changes together or none of them, and waits until all name servers have them.
// A lost answer is not repeated by the SDK. Amazon Route 53 API Reference,
// ChangeResourceRecordSets: Route 53 "either makes all or none of the changes"; GetChange returns
// INSYNC when all name servers have them. A batch that is refused with PriorRequestNotComplete
// changed nothing and is sent again.
func changeRecords(ctx context.Context, g *api.Region, zone string, changes ...types.Change) error {
	var out *route53.ChangeResourceRecordSetsOutput
	err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
		out, err = g.DNS.ChangeResourceRecordSets(ctx, &route53.ChangeResourceRecordSetsInput{
			HostedZoneId: aws.String(zone), ChangeBatch: &types.ChangeBatch{Changes: changes},
		}, func(o *route53.Options) { o.Retryer = api.OnlyThrottled{Retryer: o.Retryer} })
		return badBatch(err)
	}, priorRequest)
	if err != nil {
		return err
	}
	return awaitDNS(ctx, g, out.ChangeInfo)
}

// badBatch returns the messages of a refused batch, which the SDK keeps apart from the error's
// text. If a record already exists or does not match, another client was faster: the cause is a
// conflict and not the configuration.
func badBatch(err error) error {
	var bad *types.InvalidChangeBatch
	if !errors.As(err, &bad) || len(bad.Messages) == 0 {
		return api.Classify("", err)
	}
	text := strings.Join(bad.Messages, "; ")
	class := provider.Configuration
	if strings.Contains(text, "already exists") || strings.Contains(text, "do not match") {
		class = provider.InUse
	}
	return &provider.Error{
		Cause: class, Op: "route53.ChangeResourceRecordSets", Code: bad.ErrorCode(), Err: errors.New(text),
		Hint: "correct the record, or run `ovi plan` again",
	}
}

// updateRecord deletes the record as it is and creates it as configured in one batch, which is done
// as a whole: one that is changed in between is not overwritten. The DELETE must match the record
// in every value, so a change by another hand makes the batch fail. A TTL that is not configured
// keeps its present value; a former alias gets 300 seconds.
func updateRecord(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	zone, have, err := recordByID(ctx, g, r.Have.ID)
	if err != nil {
		return resource.Observed{}, err
	}
	// An earlier attempt whose answer was lost may have made the change.
	if !asConfigured(g, zone, have, r.Desired.Attrs) {
		want := configuredRecord(r.Desired.Attrs)
		if want.AliasTarget == nil && want.TTL == nil {
			if want.TTL = have.TTL; want.TTL == nil {
				want.TTL = aws.Int64(300)
			}
		}
		err := changeRecords(ctx, g, zone,
			types.Change{Action: types.ChangeActionDelete, ResourceRecordSet: &have},
			types.Change{Action: types.ChangeActionCreate, ResourceRecordSet: &want})
		if err != nil {
			return resource.Observed{}, err
		}
	}
	return readRecord(ctx, g, r.Have.ID)
}

// deleteRecord deletes the record as it is: Route 53 refuses that if it was changed since it was
// read. A record that is already deleted is success. After an unknown result only the same values are deleted again: a
// record with other values may be another one.
func deleteRecord(ctx context.Context, g *api.Region, r provider.Request) error {
	zone, have, err := recordByID(ctx, g, r.Have.ID)
	if err != nil {
		return api.UnlessAbsent(err)
	}
	gone := types.Change{Action: types.ChangeActionDelete, ResourceRecordSet: &have}
	err = changeRecords(ctx, g, zone, gone)
	if c := provider.CauseOf(err); c == provider.UnknownResult || c == provider.Unreachable {
		_, now, readErr := recordByID(ctx, g, r.Have.ID)
		switch {
		case readErr != nil:
			return api.UnlessAbsent(readErr) // what was deleted by the first call is absent now
		case !reflect.DeepEqual(now, have):
			return &provider.Error{
				Cause: provider.InUse, Op: "route53.ChangeResourceRecordSets", Err: errors.New("the record was changed meanwhile"),
				Hint: "run `ovi plan` again",
			}
		}
		err = changeRecords(ctx, g, zone, gone)
	}
	if err == nil || api.Absent(err) || strings.Contains(err.Error(), "but it was not found") {
		return nil
	}
	return err
}

// textPart is how long a quoted string of a TXT record may be.
const textPart = 255

// quoteText writes text as Route 53 takes it: in quotes, in parts, and with the octal code of what
// is not ASCII ("TXT record type"). A string of a TXT record has at most 255 characters, and a
// value may have several.
func quoteText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if i > 0 && i%textPart == 0 {
			b.WriteString(`" "`)
		}
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= utf8.RuneSelf-1:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquoteText is what quoteText was made of; what has no quotes stays as it is. Characters between
// two quoted parts do not count. A backslash starts the octal code of a byte, or protects the next
// character.
func unquoteText(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var out []byte
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted:
		case c == '\\' && i+3 < len(s) && octal(s[i+1:i+4]):
			out = append(out, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		case c == '\\' && i+1 < len(s):
			i++
			out = append(out, s[i])
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// octal reports whether a text starts with the octal code of a byte, 377 at most. The text has at
// least three bytes.
func octal(s string) bool {
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7'
}
