package api

import (
	"context"
	"errors"
	"strings"
	"time"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Only returns the resource that was read by id. AWS answers an id that does not exist with an error; an
// empty answer means the same.
func Only[T any](all []T, err error, op, id string) (T, error) {
	if err == nil && len(all) == 0 {
		err = MissingOf(op, provider.Errorf("%s does not exist", id))
	}
	return First(all), err
}

// MissingOf returns an error for a resource that does not exist.
func MissingOf(op string, err error) error {
	return &provider.Error{Cause: provider.Configuration, Absent: true, Op: op, Err: err}
}

// Poll reads one resource for an action that waits for it, by a call that reads all resources of the kind which actions
// wait for: a hundred resources that are being created would otherwise spend the request limit of the account on their
// waits. op names the call; each op has one read.
func Poll[T any](ctx context.Context, g *Region, op, id string, read ReadMany[T]) (T, error) {
	v, ok, err := gatherOf(&g.Polls, op, g.Wait.First, g.Wait.Gather, read).ReadOne(ctx, id)
	var all []T
	if ok {
		all = []T{v}
	}
	return Only(all, err, op, id)
}

// OneOrMany reads a single resource by a request that names it, and several in another way: a request that names
// several may be refused as a whole if one of them does not exist.
func OneOrMany[T any](one func(ctx context.Context, id string) ([]T, error), several ReadMany[T]) ReadMany[T] {
	return func(ctx context.Context, ids []string) (map[string]T, error) {
		if len(ids) > 1 {
			return several(ctx, ids)
		}
		all, err := one(ctx, ids[0])
		if err = UnlessAbsent(err); err != nil || len(all) == 0 {
			return nil, err
		}
		return map[string]T{ids[0]: all[0]}, nil
	}
}

// UnlessOwn decides about the refusal of a name in AWS that is taken. If an earlier attempt with the key created
// the resource, that is not an error; otherwise the name is a conflict. If the owner cannot be
// read, the result has both errors.
func UnlessOwn(ctx context.Context, g *Region, r provider.Request, name string, refused error,
	read func(context.Context, *Region, string) (resource.Observed, error),
) error {
	o, err := read(ctx, g, name)
	switch {
	case err != nil:
		return errors.Join(refused, err)
	case o.Marks.Key != r.Key:
		return Taken(o, r)
	}
	return nil
}

// AwaitSeen waits like await for something that was just created or changed. It may not be visible
// yet: for a while, not found means "not yet".
func (g *Region) AwaitSeen(ctx context.Context, limit time.Duration, what string,
	obs func(context.Context) error,
) error {
	started := g.Clock()
	return g.Await(ctx, limit, what, func(ctx context.Context) error {
		err := obs(ctx)
		if Absent(err) && g.Clock().Sub(started) < g.Patience(ctx, provider.Propagation) {
			return ErrWait
		}
		return err
	})
}

// Holder uses a resource that ovi deletes.
type Holder struct {
	Name string
	// Service: AWS made it, or deletes it already, and removes it without an operator.
	Service bool
}

// Held names holders that another hand must remove.
func Held(names []string, err error) ([]Holder, error) {
	out := make([]Holder, len(names))
	for i, name := range names {
		out[i].Name = name
	}
	return out, err
}

// Balancers makes holders of the ARNs of users of a resource. A load balancer that does not exist any more is still
// listed for a while, and AWS removes it from the list.
func (g *Region) Balancers(ctx context.Context, arns []string) []Holder {
	held, _ := Held(arns, nil)
	for i, arn := range arns {
		if strings.Contains(arn, ":loadbalancer/") {
			_, err := g.ELB.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{arn}})
			held[i].Service = Absent(Classify("", err))
		}
	}
	return held
}

// DeleteHeld deletes a resource that others, which were deleted before it, may use for a while. Absent is success. It
// waits as long as the policy for the holders says: what AWS itself removes, or does not name, takes longest. If the
// resource stays in use, the error names what uses it.
func (g *Region) DeleteHeld(ctx context.Context, id string, remove func() error, holders func() ([]Holder, error),
	codes ...string,
) error {
	begun, soon := time.Now(), g.Patience(ctx, provider.InUse)
	for pause := g.Wait.First; ; pause = min(pause*2, g.Wait.Most) {
		err := Classify("", remove())
		if err == nil || Absent(err) {
			return nil
		}
		if !HasCode(err, codes...) {
			return err
		}
		spent, limit := time.Since(begun), soon
		refused := err
		// A refusal may pass soon, so the holders are read only near the end of the short wait.
		if spent+pause >= soon {
			limit, refused = g.named(ctx, err, id, holders)
		}
		if spent+g.Wait.First >= limit {
			return refused
		}
		tell(ctx, "waits, because it was refused: "+provider.QuietIn(ctx, refused).Error())
		if sleep(ctx, min(pause, limit-spent-g.Wait.First)) != nil {
			return refused // it was refused, and no call is open
		}
	}
}

// named adds to a refusal the cause and the names of its holders, and returns how long to wait for them.
func (g *Region) named(
	ctx context.Context, refused error, id string, holders func() ([]Holder, error),
) (time.Duration, error) {
	var e *provider.Error
	found, err := holders()
	if !errors.As(refused, &e) || err != nil {
		return g.Patience(ctx, provider.InUse), errors.Join(refused, err)
	}
	out := *e
	out.Cause, out.Hint = provider.InUseByService, "wait: AWS removes what uses it"
	if len(found) == 0 {
		out.Hint = "AWS does not name what uses it: wait, or find and remove it in the console"
	}
	var names []string
	for _, h := range found {
		if names = append(names, h.Name); !h.Service {
			out.Cause, out.Hint = provider.InUse, "delete what uses it"
		}
	}
	if len(names) > 0 {
		out.Err = provider.Errorf("%w; %s is used by %s", e.Err, id, strings.Join(names, ", "))
	}
	return g.Patience(ctx, out.Cause), &out
}
