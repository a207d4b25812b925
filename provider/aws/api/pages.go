package api

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ovi-project/ovi/provider"
)

// The largest pages the services give.
const (
	EC2Page int32 = 1000
	RDSPage int32 = 100
	S3Page  int32 = 1000
)

// Pages reads a list to its end: all of it, or an error. A token that comes twice would make a list
// endless or end it early; it is an error too.
func Pages[T any](ctx context.Context, op string,
	fetch func(ctx context.Context, token *string) ([]T, *string, error),
) ([]T, error) {
	var all []T
	var token *string
	seen := map[string]bool{}
	for n := 1; ; n++ {
		items, next, err := fetch(ctx, token)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", n, Classify(op, err))
		}
		all = append(all, items...)
		if next == nil || *next == "" {
			return all, nil
		}
		if seen[*next] {
			return nil, &provider.Error{
				Cause: provider.Unreachable, Op: op,
				Err: fmt.Errorf("page %d has the token of a page already read", n),
			}
		}
		seen[*next] = true
		token = next
	}
}

// PageOf returns the page size of a request to EC2. EC2 accepts no page size together with ids.
func PageOf(ids []string) *int32 {
	if len(ids) > 0 {
		return nil
	}
	return aws.Int32(EC2Page)
}
