import PaymentCore
import StrictJSON

/// A kind of parameter: what a call may give and how it is read. One declaration makes both, so that
/// they cannot disagree.
struct ParameterForm<Value: Sendable>: Sendable {
    /// Reads a value at a token of a line.
    typealias Read = @Sendable (_ token: Int, JSONTape, _ bytes: Span<UInt8>) -> Value

    /// The values that are accepted.
    let shape: ParameterShape
    /// Reads a value that ``shape`` accepts.
    let read: Read

    init(_ shape: ParameterShape, _ read: @escaping Read) {
        self.shape = shape
        self.read = read
    }

    /// The same shape, read as something else.
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

    /// An array whose order does not matter.
    static func set<Element>(
        of element: ParameterForm<Element>, count: ClosedRange<Int>
    ) -> Self where Value == Set<Element> {
        ParameterForm<[Element]>.list(of: element, count: count).map { Set($0) }
    }
}

extension ParameterForm<OpaqueText> {
    /// A string of at most so many bytes; nil for no limit but that of the line.
    static func text(maximumBytes: Int? = nil) -> Self {
        Self(.text(maximumBytes: maximumBytes)) { OpaqueText($1.text($0, in: $2)) }
    }
}

extension ParameterForm<String> {
    /// One of some words.
    static func word(of words: [String]) -> Self {
        Self(.word(words)) { $1.text($0, in: $2) }
    }
}

extension ParameterForm where Value: WireWord {
    /// One of the words of a type.
    static var word: Self {
        Self(.word(Value.allCases.map(\.rawValue))) {
            required(Value(rawValue: $1.text($0, in: $2)))
        }
    }
}

extension ParameterForm<Bool> {
    /// `true` or `false`.
    static var flag: Self { Self(.flag) { token, tape, _ in tape.tokens[token].kind == .true } }
}

extension ParameterForm<Int> {
    /// A whole number.
    static func integer(_ range: ClosedRange<Int64>) -> Self {
        Self(.integer(range)) { Int(required($1.integer($0, in: $2))) }
    }

    /// The place of the parameters of another method on the tape.
    static var parameters: Self { Self(.parameters) { token, _, _ in token } }
}

extension ParameterForm<SequenceNumber> {
    /// A place in the event log.
    static var sequence: Self {
        Self(.integer(0...ParameterShape.largestSequence)) {
            SequenceNumber(required($1.integer($0, in: $2)))
        }
    }
}

extension ParameterForm<Duration> {
    /// Seconds, rounded to milliseconds.
    static func seconds(_ range: ClosedRange<Int64>) -> Self {
        Self(.seconds(range)) { token, tape, bytes in
            .milliseconds(Int64((required(tape.double(token, in: bytes)) * 1000).rounded()))
        }
    }
}

extension ParameterForm<Cursor> {
    /// A sequence number, `"start"` or `"now"`.
    static var cursor: Self {
        Self(.cursor) { token, tape, bytes in
            if let position = tape.integer(token, in: bytes) { return .after(UInt64(position)) }
            return tape.matches(token, "start", in: bytes) ? .start : .now
        }
    }
}

extension ParameterForm<TransactionReference> {
    /// A transaction as the client names it.
    static var transaction: Self {
        Self(.text(maximumBytes: nil)) { TransactionReference($0, $1, in: $2) }
    }
}

extension ParameterForm<[UInt8]> {
    /// Any value of at most so many bytes, as it was written.
    static func anything(maximumBytes: Int) -> Self {
        Self(.anything(maximumBytes: maximumBytes)) { $1.rawBytes($0, in: $2) }
    }

    /// The id of a request, as it was written.
    static var requestID: Self { Self(.requestID) { $1.rawBytes($0, in: $2) } }
}

/// A value that the shape of its parameter has let pass, and that therefore can be read.
private func required<Value>(_ value: Value?) -> Value {
    guard let value else {
        preconditionFailure("a parameter was checked but cannot be read")
    }
    return value
}
