public import PaymentCore
public import StrictJSON

/// `ack`: say up to where a named observer has dealt with everything.
public enum Ack: Method {
    /// The observer, and the records that it has handled.
    public struct Params: Sendable, Hashable {
        /// The observer.
        public var name: OpaqueText
        /// Up to where.
        public var sequence: SequenceNumber

        /// Makes the parameters.
        public init(name: OpaqueText, sequence: SequenceNumber) {
            self.name = name
            self.sequence = sequence
        }
    }

    /// Where the observer begins when it comes back.
    public struct Result: WireResult, Hashable {
        /// Up to where it has dealt with everything.
        public var acknowledged: SequenceNumber

        /// Makes a result.
        public init(acknowledged: SequenceNumber) {
            self.acknowledged = acknowledged
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"acked\":")
            writer.integer(acknowledged)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "ack",
        summary: "Acknowledge events on behalf of a named observer",
        description: """
            Stores the position durably: a later subscribe with the name starts after it. The \
            acknowledgement covers everything up to seq; a smaller seq than before changes \
            nothing. It does not finish transactions; finish does.
            """,
        parameters: [
            .required(
                "name", .text(maximumBytes: Subscribe.nameBytes),
                """
                The name of the observer.
                """),
            .required(
                "seq", .integer(0...ParameterShape.largestSequence),
                "The sequence number of the last record that the observer has handled."),
        ],
        resultSchema: Schema.object([
            Schema.required("acked", Schema.sequence, "The position that is acknowledged now.")
        ]),
        errors: [.cursorAhead, .unknownObserver, .notDurable],
        role: .observe,
        example: .init(params: ["name": "books", "seq": 6], result: Result(acknowledged: 6)))

    private enum Place: Int, ParameterPlace {
        case name, sequence
    }

    /// Takes the observer and the position.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let sequence = arguments.integer(Place.sequence, in: bytes) else {
            preconditionFailure("a required position was checked but cannot be read")
        }
        return Params(
            name: arguments.requiredText(Place.name, in: bytes),
            sequence: SequenceNumber(sequence))
    }
}
