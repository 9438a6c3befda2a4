public import PaymentCore
import StrictJSON

/// A restore as clients are shown it.
public struct RestoreRecord: Sendable, Hashable {
    /// Where a restore stands.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It has not ended.
        case running
        /// All there was has been given back.
        case completed
        /// It ended early.
        case failed

        /// Where a restore stands that came to this; nil while it has not ended.
        public init(_ outcome: RestoreOutcome?) {
            switch outcome {
            case nil: self = .running
            case .completed: self = .completed
            case .failed: self = .failed
            }
        }
    }

    /// The restore.
    public var id: RestoreID
    /// How it ended, if it has.
    public var outcome: RestoreOutcome?
    /// The condition that it waits for, if it has not.
    public var waitingFor: WaitingFor?

    /// Makes a record.
    public init(id: RestoreID, outcome: RestoreOutcome?, waitingFor: WaitingFor?) {
        self.id = id
        self.outcome = outcome
        self.waitingFor = waitingFor
    }
}

extension JSONWriter {
    /// A restore.
    mutating func restoreRecord(_ restore: RestoreRecord) {
        beginObject()
        name("id")
        identifier(restore.id)
        name("state")
        string(RestoreRecord.State(restore.outcome).rawValue)
        if let waitingFor = restore.waitingFor {
            name("waitingFor")
            string(waitingFor.wireWord)
        }
        switch restore.outcome {
        case nil: break
        case .completed(let count):
            name("count")
            integer(count)
        case .failed(let failure):
            name("error")
            restoreError(failure)
        }
        endObject()
    }

    /// One case name with an empty object, as the SDK writes its errors.
    mutating func restoreError(_ failure: RestoreFailure) {
        beginObject()
        name(failure.wireWord)
        raw("{}")
        endObject()
    }
}

extension RestoreFailure {
    var wireWord: String {
        switch self {
        case .cancelled: "cancelled"
        case .connectionError: "connectionError"
        case .appNotRegistered: "appNotRegistered"
        case .serviceUnavailable: "serviceUnavailable"
        case .internalError: "internalError"
        }
    }
}
