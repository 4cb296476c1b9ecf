package observability

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

const (
	scope = "countersign"
	// exportWithin limits one export to the collector. A failed export is retried; spans that do not fit into the queue meanwhile are
	// dropped.
	exportWithin = 10 * time.Second
	// waiting is the length of the queue of spans for the collector.
	waiting = 8192
	// errorLines is the shortest time between two lines about a collector that does not answer.
	errorLines = time.Minute
)

// Traces hands spans to a collector.
type Traces struct {
	provider *sdktrace.TracerProvider
}

// Collect begins to hand spans to the collector at an address such as http://127.0.0.1:4318/v1/traces. Headers, such as a token of the
// collector's, come from OTEL_EXPORTER_OTLP_HEADERS. What goes wrong with the collector is told in the log, at most once a minute.
func Collect(ctx context.Context, address string, log *slog.Logger) (*Traces, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(address), otlptracehttp.WithTimeout(exportWithin))
	if err != nil {
		return nil, fmt.Errorf("prepare to send traces: %w", err)
	}
	otel.SetErrorHandler(&complaints{log: log, line: rate.Sometimes{Interval: errorLines}})
	return &Traces{provider: sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithMaxQueueSize(waiting)), sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", scope))),
	)}, nil
}

// Close exports the queued spans.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Request begins the span of a request, in the trace of its caller if it names one (traceparent). The function ends it, with the route as
// the table has it.
func (t *Traces) Request(r *http.Request) (ctx context.Context, end func(route string, status int)) {
	if t == nil {
		return r.Context(), func(string, int) {}
	}
	ctx = propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.provider.Tracer(scope).Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(route string, status int) {
		span.SetName(r.Method + " " + route)
		span.SetAttributes(
			attribute.String("http.request.method", r.Method), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", status),
		)
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Message begins the span of a step in the trace of a message, for callers without a request. end finishes it with the error of the step.
func (t *Traces) Message(ctx context.Context, id uuid.UUID, step string) (of context.Context, end func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	return start(ctx, t.provider, stepOf{message: id, name: step})
}

// Step begins the span of a step in the trace of a message, linked to the request under way. Without a span in ctx nothing is traced.
func Step(ctx context.Context, id uuid.UUID, step string) (of context.Context, end func(error)) {
	under := trace.SpanFromContext(ctx)
	if !under.IsRecording() {
		return ctx, func(error) {}
	}
	return start(ctx, under.TracerProvider(), stepOf{message: id, name: step})
}

// Made notes that the request under way made a message: the first span of its trace, as long as the request until now.
func Made(ctx context.Context, id uuid.UUID) {
	under := trace.SpanFromContext(ctx)
	if under.IsRecording() {
		begun(ctx, under.TracerProvider(), stepOf{message: id, name: "submit"})
	}
}

// Arrived notes that what clearing sent became a message: the first span of its trace, as long as the request that brought it until now.
// What came without a request, through a broker, has a span without length.
func (t *Traces) Arrived(ctx context.Context, id uuid.UUID) {
	if t != nil {
		begun(ctx, t.provider, stepOf{message: id, name: "receive"})
	}
}

// begun writes the first span of a message, linked to the request under way, if there is one.
func begun(ctx context.Context, provider trace.TracerProvider, step stepOf) {
	under := trace.SpanFromContext(ctx)
	options := []trace.SpanStartOption{trace.WithNewRoot(), about(step.message)}
	timed, request := under.(sdktrace.ReadOnlySpan)
	if request && under.IsRecording() {
		options = append(options, trace.WithTimestamp(timed.StartTime()), linkTo(under))
	}
	_, span := provider.Tracer(scope).Start(context.WithValue(ctx, madeKey{}, step.message), step.name, options...)
	under.AddLink(trace.Link{SpanContext: span.SpanContext()})
	span.End()
}

// Lines is a log handler that adds the id of the trace under way to each line, as "traceId".
func (t *Traces) Lines(to slog.Handler) slog.Handler {
	if t == nil {
		return to
	}
	return traced{to}
}

// traced is that handler.
type traced struct{ slog.Handler }

// Handle adds the id.
func (l traced) Handle(ctx context.Context, record slog.Record) error {
	if under := trace.SpanContextFromContext(ctx); under.HasTraceID() {
		record = record.Clone()
		record.AddAttrs(slog.String("traceId", under.TraceID().String()))
	}
	return l.Handler.Handle(ctx, record)
}

// WithAttrs keeps adding.
func (l traced) WithAttrs(attributes []slog.Attr) slog.Handler {
	return traced{l.Handler.WithAttrs(attributes)}
}

// WithGroup keeps adding.
func (l traced) WithGroup(name string) slog.Handler { return traced{l.Handler.WithGroup(name)} }

// Within begins a span inside the current one, such as a call to clearing. end finishes it with the error of the call.
func Within(ctx context.Context, name string, words ...string) (in context.Context, end func(error)) {
	under := trace.SpanFromContext(ctx)
	if !under.IsRecording() {
		return ctx, func(error) {}
	}
	said := make([]attribute.KeyValue, 0, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		said = append(said, attribute.String(words[i], words[i+1]))
	}
	in, span := under.TracerProvider().Tracer(scope).Start(
		ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(said...),
	)
	return in, ending(span)
}

// Tell writes the trace under way into the header of a request to clearing.
func Tell(ctx context.Context, header http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
}

type stepOf struct {
	message uuid.UUID
	name    string
}

// start begins a span in the trace of a message: inside the current span when that belongs to this trace, else as a root linked to it.
func start(ctx context.Context, provider trace.TracerProvider, step stepOf) (of context.Context, end func(error)) {
	under := trace.SpanFromContext(ctx)
	options := []trace.SpanStartOption{about(step.message)}
	linked := under.SpanContext().IsValid() && under.SpanContext().TraceID() != trace.TraceID(step.message)
	if linked {
		options = append(options, linkTo(under))
	}
	if linked || !under.SpanContext().IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, first(step.message))
	}
	of, span := provider.Tracer(scope).Start(ctx, step.name, options...)
	if linked {
		under.AddLink(trace.Link{SpanContext: span.SpanContext()})
	}
	return of, ending(span)
}

func about(id uuid.UUID) trace.SpanStartEventOption {
	return trace.WithAttributes(attribute.String("countersign.internal_id", id.String()))
}

func linkTo(span trace.Span) trace.SpanStartOption {
	return trace.WithLinks(trace.Link{SpanContext: span.SpanContext()})
}

// ending returns a function that ends a span with the type of an error. Error texts stay in the log, because they may hold payment data.
func ending(span trace.Span) func(error) {
	return func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, fmt.Sprintf("%T", err))
		}
		span.End()
	}
}

// first is the first span of a message's trace, which all others stand below: both ids are those of the message.
func first(id uuid.UUID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(id), SpanID: trace.SpanID(id[8:]), TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

type madeKey struct{}

// ids makes the ids of spans: by chance, but for the first of a message.
type ids struct{}

// NewIDs makes those of a new trace.
func (i ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, made := ctx.Value(madeKey{}).(uuid.UUID); made {
		root := first(id)
		return root.TraceID(), root.SpanID()
	}
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // never fails
	return id, i.NewSpanID(ctx, id)
}

// NewSpanID makes that of a span.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// complaints tells the log what goes wrong with the collector, now and then.
type complaints struct {
	log  *slog.Logger
	line rate.Sometimes
}

// Handle takes an error of the library.
func (c *complaints) Handle(err error) {
	c.line.Do(func() { c.log.Warn("traces do not reach their collector", "error", err.Error()) })
}
