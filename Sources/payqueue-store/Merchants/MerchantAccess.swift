import Logging
import PaymentCore
import PaymentHistory
import PaymentStorage
import Synchronization

/// The merchants of the server, from a file that commands change while the server runs.
///
/// If the file becomes unreadable, the last known merchants stay valid, and the log contains a
/// message.
final class MerchantAccess: Sendable {
    /// The size in bytes up to which the file is read for every request, so that a revocation takes
    /// effect at once.
    private static let smallBytes = 256 << 10
    /// The maximum age in milliseconds of the data from a larger file.
    private static let staleMilliseconds: Int64 = 1000

    private struct State {
        var bytes: [UInt8]?
        var readAt: Timestamp
        var isBroken = false
    }

    private let file: SecretFile
    private let authenticator: MerchantAuthenticator
    private let seen: SeenTokens
    private let log: Logger
    private let state: Mutex<State>

    /// Reads the file, and the tokens that were used before the last stop.
    ///
    /// - Throws: The file is damaged, or other users can read it.
    init(
        in state: StateDirectory, policy: MerchantPolicy = MerchantPolicy(), log: Logger,
        now: Timestamp
    ) throws {
        file = .merchants(disk: state.disk, path: state.path)
        let bytes = try file.read(limit: MerchantRegistry.limitFileBytes)
        authenticator = MerchantAuthenticator(
            registry: try MerchantRegistry(ofFile: bytes), policy: policy)
        self.log = log
        self.state = Mutex(State(bytes: bytes, readAt: now))
        seen = SeenTokens(in: try state.disk.directory("merchants", create: true))
        for entry in try seen.load() {
            authenticator.remember(entry.token, until: entry.end, now: now)
        }
    }

    /// Decides about a request.
    func admit(_ request: MerchantRequest, now: Timestamp) -> MerchantAdmission {
        refresh(now)
        return authenticator.admit(request, now: now) { token, end in
            do {
                try seen.note(token, until: end, now: now)
            } catch {
                log.error(
                    "cannot store a used token; it may be accepted again after a restart",
                    metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Reads the file again if its data is too old.
    private func refresh(_ now: Timestamp) {
        let problem: (any Error)? = state.withLock { state in
            let isSmall = (state.bytes?.count ?? 0) <= Self.smallBytes
            guard
                isSmall
                    || abs(now.milliseconds - state.readAt.milliseconds) >= Self.staleMilliseconds
            else { return nil }
            state.readAt = now
            do {
                let bytes = try file.read(limit: MerchantRegistry.limitFileBytes)
                if bytes != state.bytes {
                    authenticator.use(try MerchantRegistry(ofFile: bytes))
                    state.bytes = bytes
                }
                state.isBroken = false
                return nil
            } catch {
                defer { state.isBroken = true }
                return state.isBroken ? nil : error
            }
        }
        guard let problem else { return }
        log.error(
            "cannot read the merchants; the earlier list stays in effect",
            metadata: ["file": "\(file.path)", "reason": "\(problem)"])
    }
}

extension SecretFile {
    /// The merchants file of a store.
    static func merchants(disk: any Disk, path: String) -> SecretFile {
        SecretFile("merchants.json", folder: "merchants", disk: disk, path: path)
    }
}

extension MerchantRegistry {
    /// The registry in a file; empty without a file.
    init(ofFile bytes: [UInt8]?) throws(MerchantFault) {
        if let bytes { try self.init(fileBytes: bytes) } else { self.init() }
    }
}
