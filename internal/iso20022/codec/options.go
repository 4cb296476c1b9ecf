package codec

// Options limits the input of a decoder. The zero value means the defaults.
type Options struct {
	// MaxBytes is the largest input, by default 256 KiB.
	MaxBytes int
	// MaxDepth is the deepest nesting of XML elements, by default 64.
	MaxDepth int
	// MaxFindings limits the findings, by default 200; the last one then says that reading stopped there.
	MaxFindings int
}

// The default limits.
const (
	defaultMaxBytes    = 256 << 10
	defaultMaxDepth    = 64
	defaultMaxFindings = 200
)

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultMaxFindings
	}
	return o
}
