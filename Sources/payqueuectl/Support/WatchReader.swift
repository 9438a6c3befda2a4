import PaymentClient
import StrictJSON

/// The actions after each printed notification: the cursor is stored, and settled transactions are finished.
struct WatchReader {
    private let file: CursorFile?
    private let name: String?
    private let isFinishing: Bool
    private let path: String
    /// A separate connection for calls, because the subscription's connection is not read
    /// meanwhile.
    private var calls: PaymentConnection?
    private var isCaughtUp = false
    /// The position after the last notification.
    private(set) var last = EventCursor(epoch: "", sequence: 0)

    init(file: CursorFile?, name: String?, isFinishing: Bool, path: String) {
        self.file = file
        self.name = name
        self.isFinishing = isFinishing
        self.path = path
    }

    /// Handles the start or restart of the subscription.
    mutating func opened(_ answer: JSONValue) {
        isCaughtUp = false
        calls = nil
        last = EventCursor(
            epoch: answer["epoch"]?.stringValue ?? "",
            sequence: answer["head"]?.intValue ?? last.sequence)
    }

    /// Handles a printed notification.
    mutating func handled(_ notification: ServerNotification, _ cursor: EventCursor?) async throws {
        if notification.method == "caughtUp" { isCaughtUp = true }
        if isFinishing { try await finish(notification) }
        guard notification.position != nil, let cursor else { return }
        last = cursor
        try file?.store(cursor)
        // Each acknowledgement is a record on the daemon's disk; a long replay needs only the last
        // one.
        guard let name, isCaughtUp else { return }
        _ = try await connected().call(
            "ack", ["name": .string(name), "seq": .integer(cursor.sequence)])
    }

    private mutating func finish(_ notification: ServerNotification) async throws {
        guard notification.params["kind"]?.stringValue == "transactionsUpdated" else { return }
        for transaction in notification.params["transactions"]?.arrayValue ?? [] {
            let isSettled = ["purchased", "restored", "failed"]
                .contains(transaction["transactionState"]?.stringValue ?? "")
            guard isSettled, transaction["completing"]?.boolValue != true,
                let id = transaction["id"]
            else { continue }
            let action = "finish '\(AnswerFilter.text(id))'"
            do {
                _ = try await connected().call("finish", ["transaction": id])
            } catch let error as RPCError {
                Console.report(
                    Complaint(error, action: action, help: "payqueuectl finish --help"))
            }
        }
    }

    private mutating func connected() async throws -> PaymentConnection {
        if let calls { return calls }
        let made = try await PaymentConnection.connect(to: path)
        try await made.introduce(as: OwnProgram.name)
        calls = made
        return made
    }
}
