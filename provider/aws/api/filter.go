package api

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// idsInFilter is the maximum number of values in one filter of EC2.
const idsInFilter = 200

// AllOrOwn reads all resources of a kind or, with a filter, only resources that have a tag of ovi or are
// recorded.
//
// Only a kind whose natural name is its ID may be read so (provider.Filter), and only EC2 lists by tag. That leaves
// out: vpc, launch_template and key_pair, which have names that may be configured ones; kms_key, whose list takes
// no tags; and the kinds of all other services.
func AllOrOwn[T any](s *Sweep, kind, filter string, idOf func(T) string, read func([]types.Filter) ([]T, error)) ([]T,
	error,
) {
	if !s.Filter.Omits(kind) {
		return read(nil)
	}
	return byTag(filter, s.Filter.IDs[kind], idOf, read)
}

// byTag reads resources with a tag of ovi, and the resources of IDs that have no such tag. The IDs are
// values of a filter: as a parameter, one that does not exist any more would fail the call for all.
func byTag[T any](filter string, ids []string, idOf func(T) string, read func([]types.Filter) ([]T, error)) ([]T,
	error,
) {
	// Any tag of ovi counts, also one of a set that is incomplete: whoever removes or copies tags must not hide a
	// resource.
	all, err := read(Where("tag-key", TagManaged, TagRef, TagStack, TagOwner, TagKey, tagBlessed, TagNamed))
	if err != nil {
		return nil, err
	}
	return WithIDs(all, filter, ids, idOf, read)
}

// WithIDs adds the resources of IDs that were not read yet. The function may write behind the end
// of all: clip a slice that others share.
func WithIDs[T any](all []T, filter string, ids []string, idOf func(T) string,
	read func([]types.Filter) ([]T, error),
) ([]T, error) {
	shown := make(map[string]bool, len(all))
	for i := range all {
		shown[idOf(all[i])] = true
	}
	var rest []string
	for _, id := range ids {
		if id != "" && !shown[id] {
			rest, shown[id] = append(rest, id), true
		}
	}
	for some := range slices.Chunk(rest, idsInFilter) {
		more, err := read(Where(filter, some...))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// ByFilter reads with a filter of EC2: a request that names IDs is refused as a whole if one of them does
// not exist. An ID that is missing in the answer does not exist or is not visible yet; the caller
// decides between the two.
func ByFilter[T any](
	name string, list func(context.Context, []types.Filter) ([]T, error), id func(T) *string,
) ReadMany[T] {
	return InChunks(idsInFilter, func(ctx context.Context, ids []string) ([]T, error) {
		return list(ctx, Where(name, ids...))
	}, id)
}
