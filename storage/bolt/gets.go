package bolt

import (
	"bytes"
	"context"

	"github.com/ovi-project/ovi/storage"
)

var _ storage.Getter = (*Store)(nil)

// Gets implements storage.Getter: to open the file costs more than many keys.
func (s *Store) Gets(ctx context.Context, keys []string) (map[string]storage.Entry, error) {
	out := make(map[string]storage.Entry, len(keys))
	err := s.view(ctx, func(r *reader) error {
		for _, key := range keys {
			v, ok, err := r.leasedNow([]byte(key))
			if err == nil && !ok {
				v, ok, err = r.newest([]byte(key))
			}
			if err != nil {
				return err
			}
			if ok && !v.deleted() {
				out[key] = v.entry(key, bytes.Clone(v.value))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
