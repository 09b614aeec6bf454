package archive

import (
	"context"
	"errors"
)

// Numbers are the keys of all bundles that are there of what key is of, whatever
// its number, the newest first. Provisional ones are counted apart.
func (b *Bucket) Numbers(ctx context.Context, key Key) ([]Key, error) {
	found, err := b.Find(ctx, key.Class, key.Namespace, key.Pod, key.UID)
	if err != nil {
		return nil, err
	}
	var all []Key
	for _, o := range found {
		// in the compression of today: what Head would find
		if k := o.Key; k == key.numbered(k.Number) && o.name == b.layout.object(k) {
			all = append(all, k)
		}
	}
	return all, nil
}

// Newest asks for the bundle of the highest number; ErrNotFound if there is
// none.
func (b *Bucket) Newest(ctx context.Context, key Key) (Object, error) {
	keys, err := b.Numbers(ctx, key)
	if err != nil {
		return Object{}, err
	}
	for _, k := range keys {
		o, err := b.Head(ctx, k)
		if !errors.Is(err, ErrNotFound) {
			return o, err
		}
	}
	return Object{}, ErrNotFound
}
