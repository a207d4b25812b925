package schema

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

type memoryUnit struct {
	name  string
	bytes int64
}

// memoryUnits lists the units, a longer name before its ending.
func memoryUnits() []memoryUnit {
	return []memoryUnit{
		{"Ti", 1 << 40},
		{"Gi", 1 << 30},
		{"Mi", 1 << 20},
		{"Ki", 1 << 10},
		{"T", 1e12},
		{"G", 1e9},
		{"M", 1e6},
		{"k", 1e3},
		{"K", 1e3},
		{"", 1},
	}
}

// MemoryBytes reads "512Mi". It returns false if the text is not an amount of whole bytes.
func MemoryBytes(s string) (int64, bool) {
	for _, u := range memoryUnits() {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			return times(number, u.bytes)
		}
	}
	return 0, false
}

// CanonicalMemory writes an amount with the largest binary unit that divides it.
func CanonicalMemory(s string) string {
	n, ok := MemoryBytes(s)
	if !ok {
		return s
	}
	for _, u := range memoryUnits()[:4] {
		if n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// MilliCPU reads "500m" or "0.5", in thousandths of a core.
func MilliCPU(s string) (int64, bool) {
	if number, ok := strings.CutSuffix(s, "m"); ok {
		return times(number, 1)
	}
	return times(s, 1000)
}

// CanonicalCPU writes an amount of CPU in whole cores, or else in thousandths of a core.
func CanonicalCPU(s string) string {
	n, ok := MilliCPU(s)
	switch {
	case !ok:
		return s
	case n%1000 == 0:
		return strconv.FormatInt(n/1000, 10)
	}
	return strconv.FormatInt(n, 10) + "m"
}

// times multiplies a plain decimal number; false if the product is not a whole number above 0.
func times(number string, by int64) (int64, bool) {
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(by))
	if !r.IsInt() || !r.Num().IsInt64() || r.Sign() <= 0 {
		return 0, false
	}
	return r.Num().Int64(), true
}

func isMemory(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	n, ok := MemoryBytes(string(s))
	switch {
	case !ok:
		return invalid("amount of memory", s, "use bytes or a unit such as 512Mi or 1Gi")
	case n < 4<<20:
		return invalid("amount of memory", s, "use at least 4Mi")
	}
	return nil
}

func isCPU(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	n, ok := MilliCPU(string(s))
	switch {
	case !ok:
		return invalid("amount of CPU", s, "use cores such as 0.5 or thousandths such as 500m")
	case n < 10:
		return invalid("amount of CPU", s, "use at least 10m")
	}
	return nil
}
