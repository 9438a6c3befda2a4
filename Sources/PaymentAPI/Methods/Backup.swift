public import PaymentCore
public import StrictJSON

/// `backup`: keep a copy of the state.
public enum Backup: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The copy.
    public struct Result: WireResult, Hashable {
        /// Where it is, below the state directory's `backups`.
        public var path: String
        /// The position as of which it is true.
        public var sequence: SequenceNumber
        /// Its size.
        public var bytes: Int

        /// Makes a result.
        public init(path: String, sequence: SequenceNumber, bytes: Int) {
            self.path = path
            self.sequence = sequence
            self.bytes = bytes
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("path")
            writer.string(path)
            writer.name("seq")
            writer.integer(sequence)
            writer.name("bytes")
            writer.integer(bytes)
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "backup",
        summary: "Write a backup of the whole state",
        description: """
            Copies snapshot and journal into a new directory below backups, and verifies the copy \
            before it replies. The queue keeps working meanwhile.
            """,
        resultSchema: Schema.object([
            Schema.required("path", Schema.text, "The directory of the backup."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The position in the log that the backup reflects.
                """),
            Schema.required("bytes", Schema.count, "The size in bytes."),
        ]),
        errors: [.tooManyInFlight, .cancelled, .notDurable],
        role: .admin,
        waits: true,
        example: .init(
            result: Result(
                path: "/var/lib/payqueued/backups/2026-01-05T10-00-00Z", sequence: 6,
                bytes: 4096)))
}
