package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

// StandardKind reads a kind of EC2 whose list has IDs, filters and tags, as most lists of EC2 have. From one page of
// the list follow the list of a sweep, one resource by its ID, and one of many that are waited for.
type StandardKind[T any] struct {
	Kind   string // such as nat_gateway
	Call   string // that lists it, such as ec2.DescribeNatGateways
	Filter string // of the call, for an ID, such as nat-gateway-id
	// Page makes the call once, and returns the token of the next page.
	Page func(context.Context, *Region, Query) ([]T, *string, error)
	ID   func(T) *string
	// Observe converts an item of the answer to a resource.
	Observe func(*Region, T) resource.Observed
	// Gone returns the state of an item that is deleted, or is being deleted, and "" for any other. Nil: none is
	// listed.
	Gone func(T) string
}

// Query selects a page of a list. Without IDs and filters, all items are selected.
type Query struct {
	IDs     []string
	Filters []types.Filter
	Token   *string
	Most    *int32 // the size of a page; nil with IDs
}

// Where returns what filters let through, from all pages; all of it without a filter.
func (s StandardKind[T]) Where(ctx context.Context, g *Region, filters []types.Filter) ([]T, error) {
	return s.pages(ctx, g, Query{Filters: filters})
}

// ByID returns the items with some IDs. If one does not exist, the call fails for all.
func (s StandardKind[T]) ByID(ctx context.Context, g *Region, ids ...string) ([]T, error) {
	return s.pages(ctx, g, Query{IDs: ids})
}

// pages reads all pages of a query, with the largest pages that EC2 has.
func (s StandardKind[T]) pages(ctx context.Context, g *Region, q Query) ([]T, error) {
	q.Most = PageOf(q.IDs)
	return Pages(ctx, s.Call, func(ctx context.Context, token *string) ([]T, *string, error) {
		q.Token = token
		return s.Page(ctx, g, q)
	})
}

// One returns an item. An item that is being deleted is absent: it never becomes usable again.
func (s StandardKind[T]) One(ctx context.Context, g *Region, id string) (T, error) {
	all, err := s.ByID(ctx, g, id)
	return s.Standing(Only(all, err, s.Call, id))
}

// Standing takes an item that is being deleted for one that does not exist.
func (s StandardKind[T]) Standing(x T, err error) (T, error) {
	if err == nil && s.Gone != nil && s.Gone(x) != "" {
		err = MissingOf(s.Call, fmt.Errorf("%s is %s", s.IDOf(x), s.Gone(x)))
	}
	return x, err
}

// Poll reads one of many that are waited for, see Poll; also an item that is being deleted.
func (s StandardKind[T]) Poll(ctx context.Context, g *Region, id string) (T, error) {
	return Poll(ctx, g, s.Call, id, s.Many(g))
}

// Many reads several by a filter.
func (s StandardKind[T]) Many(g *Region) ReadMany[T] {
	where := func(ctx context.Context, f []types.Filter) ([]T, error) { return s.Where(ctx, g, f) }
	return ByFilter(s.Filter, where, s.ID)
}

// Swept returns the items of a sweep, without those that are being deleted.
func (s StandardKind[T]) Swept(ctx context.Context, w *Sweep) ([]T, error) {
	all, err := AllOrOwn(w, s.Kind, s.Filter, s.IDOf,
		func(f []types.Filter) ([]T, error) { return s.Where(ctx, w.Region, f) })
	return s.WithoutGone(all), err
}

// WithMore adds the items with some IDs to the items of a sweep, if they are not among them.
func (s StandardKind[T]) WithMore(ctx context.Context, w *Sweep, all []T, ids []string) ([]T, error) {
	return WithIDs(slices.Clip(all), s.Filter, ids, s.IDOf,
		func(f []types.Filter) ([]T, error) { return s.Where(ctx, w.Region, f) })
}

// WithoutGone removes what is being deleted.
func (s StandardKind[T]) WithoutGone(all []T) []T {
	if s.Gone == nil {
		return all
	}
	return slices.DeleteFunc(all, func(x T) bool { return s.Gone(x) != "" })
}

// IDOf is the ID of an item.
func (s StandardKind[T]) IDOf(x T) string { return aws.ToString(s.ID(x)) }

// ListAll is Kind.List.
func (s StandardKind[T]) ListAll(ctx context.Context, w *Sweep) ([]resource.Observed, error) {
	all, err := s.Swept(ctx, w)
	return ObservedAs(w, all, err, s.Observe)
}

// ReadByID is Kind.Read.
func (s StandardKind[T]) ReadByID(ctx context.Context, g *Region, id string) (resource.Observed, error) {
	x, err := s.One(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return s.Observe(g, x), nil
}
