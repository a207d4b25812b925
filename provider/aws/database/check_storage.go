package database

import (
	"fmt"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// judgeStorage checks the disk of a database. What an adopted one has and the configuration does not
// set is not known here.
func judgeStorage(a resource.Attrs) (out []resource.Problem) {
	wrong := func(path, suggestion, format string, args ...any) {
		out = append(out, resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
	}
	storage, typed := api.Text(a, "storage_type")
	if !typed {
		storage = "gp3"
	}
	least, most := storageLimits(storage)
	size, sized := api.Number(a, "storage")
	if sized && (size < least || size > most) {
		wrong("storage", fmt.Sprintf("use a size from %d to %d", least, most), "RDS does not offer %s storage of %d GiB",
			storage, size)
	}
	// "Set the maximum storage threshold to a value at least 10% more than the current allocated storage".
	if n, ok := api.Number(a, "max_storage"); ok && sized && n > 0 && n <= size {
		wrong("max_storage", "use a larger size, or 0 to disable automatic growth",
			"the storage of %d GiB cannot grow to %d GiB", size, n)
	}
	iops, paced := api.Number(a, "iops")
	rate, rated := api.Number(a, "throughput")
	// An unknown size counts as large enough: a false refusal would block a valid configuration.
	striped := storage == "gp3" && (!sized || size >= stripedFrom)
	switch {
	case !paced && (storage == "io1" || storage == "io2"):
		wrong("storage_type", "iops: 3000", "%s requires iops", storage)
	case paced && storage == "gp3" && !striped:
		wrong("iops", "omit it, or use storage: 400", "gp3 storage of %d GiB has 3000 iops, which cannot be set", size)
	case paced && storage == "gp3" && iops < stripedIOPS:
		wrong("iops", "iops: 12000", "gp3 storage has 12000 iops at least where they can be set")
	case paced && (storage == "gp2" || storage == "standard"):
		wrong("iops", "omit it, or use storage_type gp3, io1 or io2", "the iops of %s storage cannot be set", storage)
	}
	switch {
	case !rated:
	case storage != "gp3":
		wrong("throughput", "omit it", "the throughput of %s storage cannot be set", storage)
	case !striped:
		wrong("throughput", "omit it, or use storage: 400", "gp3 storage of %d GiB has 125 MiB/s, which cannot be set", size)
	case paced && rate*4 > iops: // "The ratio of storage throughput to IOPS" is 0.25 at most
		wrong("throughput", fmt.Sprintf("throughput: %d", iops/4), "%d iops allow a throughput of %d MiB/s at most", iops,
			iops/4)
	}
	return out
}
