package reclaim

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// ByteSize is a number of bytes.
type ByteSize int64

// UnmarshalText reads a whole number of bytes as Kubernetes writes quantities:
// 10485760, 10Mi or 10M.
func (s *ByteSize) UnmarshalText(text []byte) error {
	quantity, err := resource.ParseQuantity(string(text))
	if err != nil {
		return err
	}
	// Value rounds up, and stops at the largest number: neither passes for
	// what was written.
	size := quantity.Value()
	if quantity.CmpInt64(size) != 0 {
		return fmt.Errorf("%s is no whole number of bytes below 2^63", text)
	}
	*s = ByteSize(size)
	return nil
}
