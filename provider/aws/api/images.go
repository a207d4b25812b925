package api

// images caches what is known of the images of a region: they do not change within one run, and
// twenty instances need the same. Latest and Root are used only in the gate.
type images struct {
	Gate   Gate
	Latest map[string]string     // architecture to image
	Root   map[string]RootDevice // by image
}

// NewImages returns an empty cache of images.
func NewImages() *images {
	return &images{Gate: NewGate(), Latest: map[string]string{}, Root: map[string]RootDevice{}}
}

// RootDevice is an image's definition of its root volume.
type RootDevice struct {
	Name string
	Size *int32 // in GiB
	Arch string // of the image
}
