/// The failure of a call that got no answer from the daemon.
///
/// ``description`` names the attempt, its object and the cause; ``advice`` names the next step. The
/// call may have had an effect. Repeat a call with a key with the same key; a payment without a key
/// would be a second payment.
public struct ConnectionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Clients must accept unknown values.
    public struct Kind: Sendable, Hashable {
        private let word: String

        private init(_ word: String) {
            self.word = word
        }

        /// No daemon answered at the socket.
        public static let notConnected = Kind("notConnected")
        /// The connection ended during the call.
        public static let lost = Kind("lost")
        /// The caller's timeout passed.
        public static let timedOut = Kind("timedOut")
        /// The received bytes are not JSON-RPC as the daemon sends it.
        public static let notUnderstood = Kind("notUnderstood")
        /// This client had already closed the connection.
        public static let closed = Kind("closed")
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The attempt, its object and the cause; one sentence without a full stop.
    public let description: String
    /// The advice for the user; one sentence without a full stop.
    public let advice: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String, advice: String) {
        self.kind = kind
        self.description = description
        self.advice = advice
    }
}

extension ConnectionFailure {
    /// The failure for a path that is too long for a Unix socket.
    static func pathTooLong(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .notConnected,
            "cannot connect to '\(path)': the path is longer than the 107 bytes a socket may have",
            advice: "use a shorter path, for example below /run or /tmp")
    }

    /// The failure for a connection that the system refused.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - reason: The cause, as a phrase.
    ///   - advice: The advice for the user.
    /// - Returns: The failure.
    static func unreachable(
        _ path: String, because reason: String,
        advice: String =
            "start payqueued, or pass its socket with --socket; 'payqueuectl doctor' shows details"
    ) -> ConnectionFailure {
        ConnectionFailure(
            .notConnected, "cannot connect to '\(path)': \(reason)", advice: advice)
    }

    /// The failure for a connection that ended before the answer.
    static func lost(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .lost, "the connection to '\(path)' ended before the reply arrived",
            advice: "connect again; repeat the call with the same key if it had one, else check"
                + " first whether it was executed")
    }

    /// The failure for a call whose timeout passed.
    static func timedOut(_ method: String, after timeout: Duration) -> ConnectionFailure {
        ConnectionFailure(
            .timedOut, "no reply to '\(method)' within \(timeout.formattedSeconds) s",
            advice: "allow more time; 'payqueuectl doctor' checks whether the daemon hangs")
    }

    /// The failure for received bytes that are not a JSON-RPC message.
    static func notUnderstood(_ path: String, _ what: String) -> ConnectionFailure {
        ConnectionFailure(
            .notUnderstood, "'\(path)' sent \(what)",
            advice: "check that payqueued, and not another program, listens there")
    }

    /// The failure for a call on a closed connection.
    static func closed(_ path: String) -> ConnectionFailure {
        ConnectionFailure(
            .closed, "the connection to '\(path)' had been closed", advice: "connect again")
    }
}

extension Duration {
    /// The duration in seconds, with up to three decimals: `5` or `0.25`.
    var formattedSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "\(seconds)" }
        var digits = "\(1000 + milliseconds)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits)"
    }
}
