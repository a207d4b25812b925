package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

import "strconv"

// volumeLimits are the bounds of each volume type: sizes in GiB, IOPS and
// throughput in MiB/s ("Amazon EBS volume types").
func volumeLimits(kind string) (minSize, maxSize, minIOPS, maxIOPS int, ok bool) {
	switch kind {
	case "gp3":
		return 1, 65536, 3000, 80000, true
	case "gp2":
		return 1, 16384, 0, 0, true
	case "io1":
		return 4, 16384, 100, 64000, true
	case "io2":
		return 4, 65536, 100, 256000, true
	case "st1", "sc1":
		return 125, 16384, 0, 0, true
	case "standard":
		return 1, 1024, 0, 0, true
	}
	return 0, 0, 0, 0, false
}

// readVolume reads and checks what a volume is made of.
func readVolume(p *wire.Params, param, kind string, size int) (*volume, error) {
	lo, hi, minIOPS, maxIOPS, ok := volumeLimits(kind)
	if !ok {
		return nil, wire.Failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. Unknown volume type.", kind, param)
	}
	if size < lo || size > hi {
		return nil, wire.Failf("InvalidParameterValue", "Volume of %dGiB is invalid for volume type %s: it must be from %d to %d GiB.", size, kind, lo, hi)
	}
	v := &volume{Size: size, Type: kind, Encrypted: p.Yes("Encrypted"), KMS: p.Str("KmsKeyId"), Snapshot: p.Str("SnapshotId")}
	iops, err := p.Num("Iops", 0)
	if err != nil {
		return nil, err
	}
	through, err := p.Num("Throughput", 0)
	if err != nil {
		return nil, err
	}
	switch {
	case v.KMS != "" && !v.Encrypted:
		return nil, wire.Failf("InvalidParameterDependency", "The parameter KmsKeyId requires the parameter Encrypted to be set.")
	case iops != 0 && maxIOPS == 0:
		return nil, wire.Failf("InvalidParameterCombination", "The parameter iops is not supported for %s volumes.", kind)
	case iops != 0 && (iops < minIOPS || iops > maxIOPS):
		return nil, wire.BadValue(strconv.Itoa(iops), "iops", "It is outside the bounds of "+kind+".")
	case iops == 0 && (kind == "io1" || kind == "io2"):
		return nil, wire.Failf("MissingParameter", "The parameter iops must be specified for %s volumes.", kind)
	case through != 0 && kind != "gp3":
		return nil, wire.Failf("InvalidParameterCombination", "The parameter throughput is not supported for %s volumes.", kind)
	case through != 0 && (through < 125 || through > 2000):
		return nil, wire.BadValue(strconv.Itoa(through), "throughput", "It must be from 125 to 2000.")
	}
	v.IOPS, v.Throughput = iops, through
	v.baseline()
	return v, nil
}

// baseline fills in what a type has without asking.
func (v *volume) baseline() {
	switch v.Type {
	case "gp3":
		if v.IOPS == 0 {
			v.IOPS = 3000
		}
		if v.Throughput == 0 {
			v.Throughput = 125
		}
	case "gp2":
		v.IOPS, v.Throughput = min(max(100, 3*v.Size), 16000), 0
	case "st1", "sc1", "standard":
		v.IOPS, v.Throughput = 0, 0
	default:
		v.Throughput = 0
	}
}
