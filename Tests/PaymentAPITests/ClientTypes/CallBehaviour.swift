/// How a client carries out a call, besides what the contract says of it.
///
/// This is the only list of it: every client library gets its own from here.
struct CallBehaviour: Sendable {
    /// How much longer than usual an answer may take.
    enum Patience: Sendable {
        case seconds(Int)
        /// As long as a parameter says, or these seconds without it.
        case parameter(String, Int)
    }

    /// Whether a fresh idempotency key goes with it where the program names none.
    let hasKey: Bool
    /// Whether it may be sent again on a new connection when the old one broke.
    let isRepeatable: Bool
    let patience: Patience

    /// Calls that mean something on their own connection only.
    static let ofConnections: Set<String> = ["hello", "subscribe", "unsubscribe", "cancel"]

    private static let patiences: [String: Patience] = [
        "add": .seconds(150), "restore": .seconds(150), "login": .seconds(150),
        "wait": .parameter("timeout", 60), "events": .parameter("wait", 0),
        "products": .seconds(30), "entitlements": .seconds(30), "signedHistory": .seconds(30),
        "keys": .seconds(30), "drain": .seconds(60), "reload": .seconds(60),
        "backup": .seconds(300), "cluster": .seconds(30), "handover": .seconds(30),
    ]

    /// A second one would do something else, or make the first look like a failure.
    private static let once: Set<String> = ["backup", "decide", "handover"]
    private static let repeatableControls: Set<String> = [
        "test.get", "test.set", "test.orders", "test.clock.get",
    ]

    init(of method: String, hasKey: Bool, waits: Bool) {
        precondition(!waits || Self.patiences[method] != nil, "say how long '\(method)' may take")
        self.hasKey = hasKey
        let isControl = method.hasPrefix("test.")
        isRepeatable =
            isControl ? Self.repeatableControls.contains(method) : !Self.once.contains(method)
        patience = Self.patiences[method] ?? .seconds(0)
    }

    /// The patience in seconds that needs no look at the parameters.
    var longestSeconds: Int {
        switch patience {
        case .seconds(let seconds): seconds
        case .parameter(_, let seconds): max(60, seconds)
        }
    }
}
