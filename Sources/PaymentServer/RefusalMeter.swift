import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import StrictJSON

/// Counts the refusals of users, and decides which of them are logged.
///
/// A refusal is logged if the same user was not refused for the same reason within the last minute.
/// A client that repeats a refused call without such a pause therefore causes one line in the log.
struct RefusalMeter {
    /// A user and the reason of its refusals.
    private struct Subject: Hashable {
        var user: UInt32
        /// The limit of which the user has reached its share; nil for a missing role.
        var limit: SharedLimit?
    }

    /// The number of refusals because of a share, by limit.
    private(set) var byLimit: [SharedLimit: UInt64] = [:]
    /// The number of refusals because of a missing role.
    private(set) var denied: UInt64 = 0
    private var latest: [Subject: NIODeadline] = [:]

    /// The time without a refusal after which the next refusal is logged again.
    static let silence = TimeAmount.seconds(60)
    /// The maximum number of remembered subjects. Further refusals are counted and not logged.
    static let mostSubjects = 1024

    /// Counts a refusal.
    ///
    /// - Parameters:
    ///   - limit: The limit of which the user has reached its share; nil if the user lacks a role.
    ///   - user: The user.
    ///   - now: The time.
    /// - Returns: Whether the refusal must be logged.
    mutating func note(_ limit: SharedLimit?, of user: UInt32, at now: NIODeadline) -> Bool {
        if let limit { byLimit[limit, default: 0] += 1 } else { denied += 1 }
        let subject = Subject(user: user, limit: limit)
        let isNews = latest[subject].map { now - $0 >= Self.silence } ?? true
        if isNews, latest.count >= Self.mostSubjects {
            latest = latest.filter { now - $0.value < Self.silence }
            guard latest.count < Self.mostSubjects else { return false }
        }
        latest[subject] = now
        return isNews
    }
}

extension ServerCore {
    /// Counts an error that refuses a user, and logs it unless the same refusal was logged
    /// recently.
    ///
    /// - Parameters:
    ///   - error: The error of a reply, or of a refused connection.
    ///   - user: The user.
    ///   - method: The name of the method that was called; nil for a connection.
    func note(_ error: ErrorObject, of user: UInt32, method: @autoclosure () -> String?) {
        let limit: SharedLimit?
        switch error.code {
        case ErrorCode.shareExceeded.rawValue:
            guard let named = error.detail("limit").flatMap(SharedLimit.init) else { return }
            limit = named
        case ErrorCode.forbidden.rawValue: limit = nil
        default: return
        }
        guard refusals.note(limit, of: user, at: context.eventLoop.now) else { return }
        var metadata: Logger.Metadata = ["uid": "\(user)"]
        if let name = method() { metadata["method"] = "\(name)" }
        guard let limit else {
            metadata["need"] = error.detail("need").map { "\($0)" }
            return log.notice(
                "denied a call that the roles of the user do not permit", metadata: metadata)
        }
        metadata["limit"] = "\(limit.rawValue)"
        metadata["number"] = error.data.first { $0.name == "number" }.map { "\($0.value)" }
        log.notice("refused a user more than its share of a limit", metadata: metadata)
    }
}

extension ErrorObject {
    /// A text member of the error's data; nil if it is missing.
    fileprivate func detail(_ name: String) -> String? {
        data.first { $0.name == name }?.value.stringValue
    }
}
