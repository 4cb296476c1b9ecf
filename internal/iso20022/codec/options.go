package codec

// Options limits the input of a decoder. The zero value means the defaults.
type Options struct {
	// MaxBytes is the largest input, by default 256 KiB.
	MaxBytes int
	// MaxFindings limits the findings, by default 200; the last one then says that reading stopped there.
	MaxFindings int
}

// MaxDepth is the deepest nesting of XML elements.
const MaxDepth = 64

// The default limits.
const (
	defaultMaxBytes    = 256 << 10
	defaultMaxFindings = 200
)

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultMaxFindings
	}
	return o
}
