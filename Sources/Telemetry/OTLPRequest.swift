internal import StrictJSON
internal import Tracing

/// The body of an export request: spans in OTLP's JSON encoding, with hexadecimal identifiers.
struct OTLPRequest {
    /// The attributes of the sender, by the semantic conventions.
    let resource: [(name: String, value: String)]
    let spans: [FinishedSpan]

    var bytes: [UInt8] { Array(value.jsonText().utf8) }

    private var value: JSONValue {
        let attributes = resource.map {
            Self.attribute($0.name, ["stringValue": .string($0.value)])
        }
        let scope: JSONValue = ["name": "payqueued"]
        return [
            "resourceSpans": [
                [
                    "resource": ["attributes": .array(attributes)],
                    "scopeSpans": [
                        ["scope": scope, "spans": .array(spans.map(Self.span))]
                    ],
                ]
            ]
        ]
    }

    private static func span(_ span: FinishedSpan) -> JSONValue {
        var members = identity(span.own)
        func add(_ name: String, _ value: JSONValue) {
            members.append(JSONMember(name: name, value: value))
        }
        if let parent = span.parent {
            add("parentSpanId", .string(TraceContext.text(parent.spanID)))
        }
        add("name", .string(span.name))
        add("kind", .integer(number(of: span.kind)))
        // The JSON encoding of protocol buffers represents 64-bit integers as strings.
        add("startTimeUnixNano", .string("\(span.start)"))
        add("endTimeUnixNano", .string("\(max(span.start, span.end))"))
        add("attributes", list(span.attributes))
        if !span.events.isEmpty {
            add("events", .array(span.events.map(event)))
        }
        let links = span.links.compactMap { link in
            link.context.traceContext.map { context -> JSONValue in
                .object(
                    identity(context)
                        + [JSONMember(name: "attributes", value: list(link.attributes))])
            }
        }
        if !links.isEmpty { add("links", .array(links)) }
        if let status = span.status { add("status", Self.status(status)) }
        return .object(members)
    }

    private static func identity(_ context: TraceContext) -> [JSONMember] {
        [
            JSONMember(name: "traceId", value: .string(context.traceID)),
            JSONMember(name: "spanId", value: .string(TraceContext.text(context.spanID))),
        ]
    }

    private static func event(_ event: SpanEvent) -> JSONValue {
        [
            "timeUnixNano": .string("\(event.nanosecondsSinceEpoch)"), "name": .string(event.name),
            "attributes": list(event.attributes),
        ]
    }

    private static func status(_ status: SpanStatus) -> JSONValue {
        let code: JSONValue =
            switch status.code {
            case .ok: 1
            case .error: 2
            }
        guard let message = status.message else { return ["code": code] }
        return ["code": code, "message": .string(message)]
    }

    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    /// The attributes sorted by name, so that equal spans have equal text.
    private static func list(_ attributes: SpanAttributes) -> JSONValue {
        var found: [(name: String, value: JSONValue)] = []
        attributes.forEach { name, value in found.append((name, Self.value(value))) }
        return .array(
            found.sorted { $0.name < $1.name }.map { attribute($0.name, $0.value) })
    }

    private static func attribute(_ name: String, _ value: JSONValue) -> JSONValue {
        ["key": .string(name), "value": value]
    }

    private static func value(_ attribute: SpanAttribute) -> JSONValue {
        // The library's enumeration requires a default case; its other cases become strings.
        switch attribute {
        case .int32(let number): ["intValue": .string("\(number)")]
        case .int64(let number): ["intValue": .string("\(number)")]
        case .bool(let flag): ["boolValue": .bool(flag)]
        case .string(let text): ["stringValue": .string(text)]
        case .stringConvertible(let value): ["stringValue": .string("\(value)")]
        default: ["stringValue": .string("\(attribute)")]
        }
    }
}
