/// The daemon could not be reached, or no answer came.
///
/// ``description`` says what was tried, on what and why it failed; ``advice`` says what to do next.
/// Whether a call that was under way had an effect is not known. One with a key may be repeated with
/// that key; a payment without one would be a second one.
public struct ConnectionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which failure it is. Tolerate values that you do not know.
    public struct Kind: Sendable, Hashable {
        private let word: String

        private init(_ word: String) {
            self.word = word
        }

        /// Nothing answered at the socket.
        public static let notConnected = Kind("notConnected")
        /// The connection ended while the call was under way.
        public static let lost = Kind("lost")
        /// The time that the caller allowed ran out.
        public static let timedOut = Kind("timedOut")
        /// The bytes received are not the daemon's protocol.
        public static let notUnderstood = Kind("notUnderstood")
        /// The connection had been closed on this side before.
        public static let closed = Kind("closed")
    }

    /// The kind.
    public let kind: Kind
    /// The attempt, its object, and the reason of its failure; one sentence without a full stop.
    public let description: String
    /// The advice for a person; one sentence without a full stop.
    public let advice: String

    /// Makes a failure.
    public init(_ kind: Kind, _ description: String, advice: String) {
        self.kind = kind
        self.description = description
        self.advice = advice
    }
}

extension ConnectionFailure {
    /// The path cannot name a Unix socket.
    static func pathTooLong(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .notConnected,
            "cannot connect to '\(path)': the path is longer than the 107 bytes a socket may have",
            advice: "use a shorter path, for example below /run or /tmp")
    }

    /// The system refused to connect.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - reason: Why, as a phrase.
    ///   - advice: What to do about it.
    /// - Returns: The failure.
    static func unreachable(
        _ path: String, because reason: String,
        advice: String =
            "start payqueued, or pass its socket with --socket; 'payqueuectl doctor' shows details"
    ) -> ConnectionFailure {
        ConnectionFailure(
            .notConnected, "cannot connect to '\(path)': \(reason)", advice: advice)
    }

    /// The daemon went away before the answer came.
    static func lost(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .lost, "the connection to '\(path)' ended before the reply arrived",
            advice: "connect again; repeat the call with the same key if it had one, else check"
                + " first whether it was executed")
    }

    /// The caller's deadline passed.
    static func timedOut(_ method: String, after timeout: Duration) -> ConnectionFailure {
        ConnectionFailure(
            .timedOut, "no reply to '\(method)' within \(timeout.formattedSeconds) s",
            advice: "allow more time; 'payqueuectl doctor' checks whether the daemon hangs")
    }

    /// Something came that is not a line of JSON-RPC.
    static func notUnderstood(_ path: String, _ what: String) -> ConnectionFailure {
        ConnectionFailure(
            .notUnderstood, "'\(path)' sent \(what)",
            advice: "check that payqueued, and not another program, listens there")
    }

    /// The caller had closed the connection.
    static func closed(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .closed, "the connection to '\(path)' had been closed", advice: "connect again")
    }
}

extension Duration {
    /// Seconds as people write them: `5`, or `0.25`.
    var formattedSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "\(seconds)" }
        var digits = "\(1000 + milliseconds)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits)"
    }
}
