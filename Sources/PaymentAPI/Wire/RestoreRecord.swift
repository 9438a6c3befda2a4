public import PaymentCore
import StrictJSON

/// A restore in the form for clients.
public struct RestoreRecord: Sendable, Hashable {
    /// The identifier of the restore.
    public var id: RestoreID
    /// The outcome; nil while the restore runs.
    public var outcome: RestoreOutcome?
    /// The condition that it waits for; nil after its end.
    public var waitingFor: WaitingFor?

    /// Creates a record.
    public init(id: RestoreID, outcome: RestoreOutcome?, waitingFor: WaitingFor?) {
        self.id = id
        self.outcome = outcome
        self.waitingFor = waitingFor
    }
}

extension RestoreRecord {
    /// The form of a restore in results.
    static let form = ResultForm<RestoreRecord>.component(
        "Restore",
        [
            .required("id", \.id, .identifier, "The identifier of the restore."),
            .required("state", { RestoreState($0.outcome) }, .word, "The state."),
            .optional(
                "waitingFor", \.waitingFor, .word, "What it waits for; only in state running."),
            .optional(
                "count", { if case .completed(let count) = $0.outcome { count } else { nil } },
                .count, "The number of transactions that it returned; only in state completed."),
            .optional(
                "error", { if case .failed(let failure) = $0.outcome { failure } else { nil } },
                .errorObject,
                """
                An object with one member, whose name is the error and whose value is empty; only \
                in state failed.
                """),
        ])
}

extension RestoreState: WireWord {}
