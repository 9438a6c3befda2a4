import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import StrictJSON

/// Counts the refusals that are about users, and decides which of them the log shows.
///
/// The log shows a refusal, which is news then, if the same user was not refused for the same reason within
/// a minute: a client that repeats refused calls makes one line in the log while that lasts.
struct RefusalMeter {
    /// A user and the reason of its refusals.
    private struct Subject: Hashable {
        var user: UInt32
        /// The limit that it has its share of; nil for a missing role.
        var limit: SharedLimit?
    }

    /// The refusals of shares, by limit.
    private(set) var byLimit: [SharedLimit: UInt64] = [:]
    /// The refusals for want of a role.
    private(set) var denied: UInt64 = 0
    private var latest: [Subject: NIODeadline] = [:]

    /// The silence after which a refusal is news again.
    static let silence = TimeAmount.seconds(60)
    /// The largest number of subjects that are remembered. Beyond it refusals are only counted.
    static let mostSubjects = 1024

    /// Counts a refusal.
    ///
    /// - Parameters:
    ///   - limit: The limit whose share the user has; nil if it lacks a role.
    ///   - user: The user.
    ///   - now: The time.
    /// - Returns: Whether it is news.
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
    /// Counts an error that is about a user, and logs it if it is news.
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
    /// A text of the data.
    fileprivate func detail(_ name: String) -> String? {
        data.first { $0.name == name }?.value.stringValue
    }
}
