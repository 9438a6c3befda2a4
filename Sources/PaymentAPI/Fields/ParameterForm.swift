import PaymentCore
import StrictJSON

/// A kind of parameter: the accepted shape and its decoding. A single declaration defines both, so
/// that they cannot disagree.
struct ParameterForm<Value: Sendable>: Sendable {
    /// Decodes a value at a token of a line.
    typealias Read = @Sendable (_ token: Int, JSONTape, _ bytes: Span<UInt8>) -> Value

    /// The shape of accepted values.
    let shape: ParameterShape
    /// Decodes a value that ``shape`` accepts.
    let read: Read

    init(_ shape: ParameterShape, _ read: @escaping Read) {
        self.shape = shape
        self.read = read
    }

    /// The form with the same shape and a transformed value.
    func map<New>(_ transform: @escaping @Sendable (Value) -> New) -> ParameterForm<New> {
        ParameterForm<New>(shape) { [read] in transform(read($0, $1, $2)) }
    }
}

extension ParameterForm {
    /// An array.
    static func list<Element>(
        of element: ParameterForm<Element>, count: ClosedRange<Int>
    ) -> Self where Value == [Element] {
        Self(.list(of: element.shape, count: count)) { token, tape, bytes in
            var elements: [Element] = []
            for child in tape.children(of: token) {
                elements.append(element.read(child, tape, bytes))
            }
            return elements
        }
    }

    /// An array whose order is irrelevant.
    static func set<Element>(
        of element: ParameterForm<Element>, count: ClosedRange<Int>
    ) -> Self where Value == Set<Element> {
        ParameterForm<[Element]>.list(of: element, count: count).map { Set($0) }
    }
}

extension ParameterForm<OpaqueText> {
    /// A string with a limit in bytes; nil limits it only by the line.
    static func text(maximumBytes: Int? = nil) -> Self {
        Self(.text(maximumBytes: maximumBytes)) { OpaqueText($1.text($0, in: $2)) }
    }

    /// A string whose length the configuration limits.
    static func configured(_ length: ConfiguredLength) -> Self {
        Self(.configured(length)) { OpaqueText($1.text($0, in: $2)) }
    }

    /// A string of printable ASCII characters, at least one, with a limit.
    static func printable(maximumBytes: Int) -> Self {
        Self(.printable(maximumBytes: maximumBytes)) { OpaqueText($1.text($0, in: $2)) }
    }
}

extension ParameterForm<String> {
    /// One of a list of words.
    static func word(of words: [String]) -> Self {
        Self(.word(words)) { $1.text($0, in: $2) }
    }
}

extension ParameterForm where Value: WireWord {
    /// A word of an enumeration.
    static var word: Self {
        Self(.word(Value.allCases.map(\.rawValue))) {
            required(Value(rawValue: $1.text($0, in: $2)))
        }
    }
}

extension ParameterForm<Bool> {
    /// A boolean.
    static var flag: Self { Self(.flag) { token, tape, _ in tape.tokens[token].kind == .true } }
}

extension ParameterForm<Int> {
    /// An integer in a range.
    static func integer(_ range: ClosedRange<Int64>) -> Self {
        Self(.integer(range)) { Int(required($1.integer($0, in: $2))) }
    }

    /// The token index of another method's parameters.
    static var parameters: Self { Self(.parameters) { token, _, _ in token } }
}

extension ParameterForm<SequenceNumber> {
    /// A sequence number of the event log.
    static var sequence: Self {
        Self(.integer(0...ParameterShape.largestSequence)) {
            SequenceNumber(required($1.integer($0, in: $2)))
        }
    }
}

extension ParameterForm<Duration> {
    /// A number of seconds in a range, rounded to milliseconds.
    static func seconds(_ range: ClosedRange<Int64>) -> Self {
        Self(.seconds(range)) { token, tape, bytes in
            .milliseconds(Int64((required(tape.double(token, in: bytes)) * 1000).rounded()))
        }
    }
}

extension ParameterForm<Cursor> {
    /// A cursor: a sequence number, `"start"` or `"now"`.
    static var cursor: Self {
        Self(.cursor) { token, tape, bytes in
            if let position = tape.integer(token, in: bytes) { return .after(UInt64(position)) }
            return tape.matches(token, "start", in: bytes) ? .start : .now
        }
    }
}

extension ParameterForm<TransactionReference> {
    /// A reference to a transaction.
    static var transaction: Self {
        Self(.text(maximumBytes: nil)) { TransactionReference($0, $1, in: $2) }
    }
}

extension ParameterForm<[UInt8]> {
    /// The bytes of any value as written, with a limit in bytes.
    static func anything(maximumBytes: Int) -> Self {
        Self(.anything(maximumBytes: maximumBytes)) { $1.rawBytes($0, in: $2) }
    }

    /// The bytes of a request id as written.
    static var requestID: Self { Self(.requestID) { $1.rawBytes($0, in: $2) } }
}

/// Unwraps a value that its shape has already accepted.
private func required<Value>(_ value: Value?) -> Value {
    guard let value else {
        preconditionFailure("a parameter was checked but cannot be read")
    }
    return value
}
