public import Tracing

/// The identity of a span in a trace, as defined by W3C Trace Context.
public struct TraceContext: Sendable, Hashable {
    /// The first 8 bytes of the trace ID.
    public let traceHigh: UInt64
    /// The last 8 bytes of the trace ID.
    public let traceLow: UInt64
    /// The span ID, never 0.
    public let spanID: UInt64
    /// True if the trace is recorded.
    public let isSampled: Bool

    /// Creates an identity. All-zero identifiers are invalid, so 1 replaces them.
    public init(traceHigh: UInt64, traceLow: UInt64, spanID: UInt64, isSampled: Bool = true) {
        self.traceHigh = traceHigh
        self.traceLow = traceHigh | traceLow == 0 ? 1 : traceLow
        self.spanID = spanID == 0 ? 1 : spanID
        self.isSampled = isSampled
    }

    /// Parses a `traceparent` value, such as
    /// `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`; nil if it is invalid.
    ///
    /// From later versions it reads the fields of version 00 and ignores further ones.
    public init?(traceparent text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.hex(parts[0], digits: 2), version != 0xFF,
            version > 0 || parts.count == 4,
            parts[1].count == 32,
            let high = Self.hex(parts[1].prefix(16), digits: 16),
            let low = Self.hex(parts[1].suffix(16), digits: 16), high | low != 0,
            let span = Self.hex(parts[2], digits: 16), span != 0,
            let flags = Self.hex(parts[3], digits: 2)
        else { return nil }
        self.init(traceHigh: high, traceLow: low, spanID: span, isSampled: flags & 1 == 1)
    }

    /// The trace ID, as 32 hexadecimal digits.
    public var traceID: String { Self.text(traceHigh) + Self.text(traceLow) }

    /// The `traceparent` value.
    public var traceparent: String {
        "00-\(traceID)-\(Self.text(spanID))-\(isSampled ? "01" : "00")"
    }

    /// A number as sixteen hexadecimal digits.
    static func text(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func hex(_ digits: some Collection<UInt8>, digits count: Int) -> UInt64? {
        guard digits.count == count else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return value
    }
}

extension InstrumentationContext {
    private enum SpanKey: InstrumentationContextKey {
        typealias Value = TraceContext
    }

    private enum WantedKey: InstrumentationContextKey {
        typealias Value = TraceContext
    }

    /// The span that is the parent of a new span; in the context of a span, the span itself.
    public var traceContext: TraceContext? {
        get { self[SpanKey.self] }
        set { self[SpanKey.self] = newValue }
    }

    /// The predefined identity of the next span, instead of a random one. Its children can then
    /// refer to it before it starts, and after a restart.
    public var wantedSpan: TraceContext? {
        get { self[WantedKey.self] }
        set { self[WantedKey.self] = newValue }
    }
}
