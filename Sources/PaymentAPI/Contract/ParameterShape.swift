internal import PaymentCore
public import StrictJSON

/// The shape of a parameter's values. Checks and the published schema are derived from it, so that
/// they cannot disagree.
public indirect enum ParameterShape: Sendable {
    /// A string with a limit in bytes; nil limits it only by the line.
    case text(maximumBytes: Int?)
    /// A string whose length is limited by the configuration. Its schema has the default.
    case configured(ConfiguredLength)
    /// A string of printable ASCII characters, at least one, with a limit.
    case printable(maximumBytes: Int)
    /// One of a list of words.
    case word([String])
    /// A boolean.
    case flag
    /// An integer in a range, without fraction or exponent.
    case integer(ClosedRange<Int64>)
    /// One of a list of integers.
    case number(oneOf: [Int64])
    /// A number of seconds in a range, with an optional fraction.
    case seconds(ClosedRange<Int64>)
    /// A cursor: a sequence number, `"start"` or `"now"`.
    case cursor
    /// The ISO 3166-1 alpha-2 code of a country, or an empty string for none.
    case countryOrEmpty
    /// The ISO 3166-1 alpha-2 or alpha-3 code of a country.
    case country
    /// An array with a range of lengths.
    case list(of: ParameterShape, count: ClosedRange<Int>)
    /// An object with exactly these members.
    case record([ParameterSpec])
    /// One of two shapes with different JSON types.
    case either(ParameterShape, ParameterShape)
    /// A value of a shape, or null.
    case nullable(ParameterShape)
    /// Any value, with a limit in bytes as written.
    case anything(maximumBytes: Int)
    /// A request id: a string, a number or null.
    case requestID
    /// The parameters of another method: an object or an array.
    case parameters

    /// The largest sequence number. JSON readers preserve integers up to it exactly.
    static let largestSequence: Int64 = 1 << 53 - 1

    /// The accepted values in words, for errors and `help`.
    public var expectation: String {
        switch self {
        case .text(nil): "a string"
        case .text(let limit?): "a string of at most \(limit) bytes"
        case .configured(let length): length.standard.expectation
        case .printable(let limit): "1 to \(limit) printable ASCII characters"
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .flag: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let numbers): "one of " + numbers.map { "\($0)" }.joined(separator: ", ")
        case .seconds(let range): "seconds from \(range.lowerBound) to \(range.upperBound)"
        case .cursor: "a sequence number, \"start\" or \"now\""
        case .countryOrEmpty: "the code of a country (ISO 3166-1 alpha-2), or \"\""
        case .country: "the code of a country (ISO 3166-1 alpha-2 or alpha-3)"
        case .list(let element, let count):
            "an array of \(count.lowerBound) to \(count.upperBound) elements, each "
                + element.expectation
        case .record(let members):
            "an object with " + members.map { $0.name.description }.joined(separator: ", ")
        case .either(let one, let other): one.expectation + ", or " + other.expectation
        case .nullable(let shape): shape.expectation + ", or null"
        case .anything(let limit): "any value of at most \(limit) bytes"
        case .requestID: "a string, a number or null"
        case .parameters: "an object or an array"
        }
    }

    /// The JSON Schema. `x-maxBytes` counts bytes, `maxLength` characters.
    public var schema: JSONValue {
        switch self {
        case .text(nil): ["type": "string"]
        case .text(let limit?):
            ["type": "string", "maxLength": .integer(limit), "x-maxBytes": .integer(limit)]
        case .configured(let length): length.standard.schema
        case .printable(let limit):
            [
                "type": "string", "minLength": 1, "maxLength": .integer(limit),
                "x-maxBytes": .integer(limit), "pattern": "^[ -~]*$",
            ]
        case .word(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .flag: ["type": "boolean"]
        case .integer(let range):
            [
                "type": "integer", "minimum": .integer(Int(range.lowerBound)),
                "maximum": .integer(Int(range.upperBound)),
            ]
        case .number(let numbers):
            ["type": "integer", "enum": .array(numbers.map { .integer(Int($0)) })]
        case .seconds(let range):
            [
                "type": "number", "minimum": .integer(Int(range.lowerBound)),
                "maximum": .integer(Int(range.upperBound)),
            ]
        case .cursor:
            [
                "oneOf": [
                    Self.integer(0...Self.largestSequence).schema,
                    Self.word(["start", "now"]).schema,
                ]
            ]
        case .countryOrEmpty: ["type": "string", "pattern": "^([A-Z]{2})?$"]
        case .country: ["type": "string", "pattern": "^[A-Z]{2,3}$"]
        case .list(let element, let count):
            [
                "type": "array", "items": element.schema, "minItems": .integer(count.lowerBound),
                "maxItems": .integer(count.upperBound),
            ]
        case .record(let members): Self.recordSchema(members)
        case .either(let one, let other): ["oneOf": [one.schema, other.schema]]
        case .nullable(let shape): ["oneOf": [shape.schema, ["type": "null"]]]
        case .anything(let limit): ["x-maxBytes": .integer(limit)]
        case .requestID: ["type": ["string", "number", "null"]]
        case .parameters: ["type": ["object", "array"]]
        }
    }

    private static func recordSchema(_ members: [ParameterSpec]) -> JSONValue {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name.description) }
        let properties = members.map { member in
            JSONMember(name: member.name.description, value: member.schema)
        }
        var schema: [JSONMember] = [
            JSONMember(name: "type", value: "object"),
            JSONMember(name: "properties", value: .object(properties)),
            JSONMember(name: "additionalProperties", value: false),
        ]
        if !required.isEmpty {
            schema.append(JSONMember(name: "required", value: .array(required)))
        }
        return .object(schema)
    }
}

/// A length in bytes that the configuration limits.
public enum ConfiguredLength: Sendable {
    /// That of an idempotency key.
    case key
    /// That of an application account token.
    case appAccountToken
    /// That of a trace context.
    case trace

    /// The shape with the limit of a configuration.
    func shape(_ limits: Limits) -> ParameterShape {
        switch self {
        case .key: .text(maximumBytes: limits.keyBytes)
        case .appAccountToken: .text(maximumBytes: limits.appAccountTokenBytes)
        case .trace: .text(maximumBytes: limits.traceBytes)
        }
    }

    /// The shape with the default limit.
    var standard: ParameterShape { shape(Limits()) }
}

extension ParameterSpec {
    /// The JSON Schema of the parameter with its description.
    public var schema: JSONValue {
        guard case .object(var members) = shape.schema else { return shape.schema }
        members.append(JSONMember(name: "description", value: .string(summary)))
        return .object(members)
    }
}
