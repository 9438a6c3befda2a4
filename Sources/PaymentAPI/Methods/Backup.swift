public import PaymentCore
import StrictJSON

/// `backup`: write a backup of the state.
public enum Backup: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The written backup.
    public struct Result: WireResult, Hashable {
        /// The path of the backup's directory.
        public var path: String
        /// The position in the log that the backup reflects.
        public var sequence: SequenceNumber
        /// The size of the backup, in bytes.
        public var bytes: Int

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("path", \.path, .text, "The directory of the backup."),
            .required(
                "seq", \.sequence, .sequence, "The position in the log that the backup reflects."),
            .required("bytes", \.bytes, .count, "The size in bytes."),
        ])

        /// Creates a result.
        public init(path: String, sequence: SequenceNumber, bytes: Int) {
            self.path = path
            self.sequence = sequence
            self.bytes = bytes
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "backup",
        summary: "Write a backup of the whole state",
        description: """
            Copies snapshot and journal into a new directory below backups, and verifies the copy \
            before it replies. The queue keeps working meanwhile. Calls during a backup are \
            answered by one more backup, which begins when the running one ends.
            """,
        errors: [.tooManyInFlight, .shareExceeded, .cancelled, .notDurable],
        role: .admin,
        waits: true,
        example: Result(
            path: "/var/lib/payqueued/backups/20260105T100000000Z-6", sequence: 6, bytes: 4096))
}
