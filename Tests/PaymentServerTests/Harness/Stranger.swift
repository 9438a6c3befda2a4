import Foundation
import Synchronization

/// Makes sockets whose other end the kernel takes for another user.
enum Stranger {
    /// Whether this process may act as somebody else.
    static var isPossible: Bool { geteuid() == 0 }

    /// A pair of connected sockets.
    ///
    /// - Parameters:
    ///   - uid: Who the kernel shall say made them; nil for this process.
    ///   - groups: The supplementary groups of that user; nil for those of this process.
    /// - Returns: Both ends.
    /// - Throws: There is no such pair to be had.
    static func pair(_ uid: uid_t? = nil, groups: [gid_t]? = nil) throws -> (Int32, Int32) {
        guard let uid, uid != geteuid() else { return try pair() }
        guard isPossible else { throw Unexpected("only root can act as user \(uid)") }
        return try onThread { () throws(Unexpected) in
            // The kernel knows users by thread, so that nobody else in the process is affected.
            if let groups, !ThreadUser.join(groups) { throw Unexpected("cannot join groups") }
            guard ThreadUser.become(uid) else { throw Unexpected("cannot act as user \(uid)") }
            defer { _ = ThreadUser.become(0) }
            return try pair()
        }
    }

    private static func pair() throws(Unexpected) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Unexpected("cannot make a pair: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(Unexpected) -> Value
    ) throws(Unexpected) -> Value {
        let errand = ReportedCommand<Value>()
        Thread.detachNewThread {
            let result: Result<Value, Unexpected>
            do throws(Unexpected) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
            errand.result.withLock { $0 = result }
            errand.isDone.signal()
        }
        errand.isDone.wait()
        guard let result = errand.result.withLock({ $0 }) else { throw Unexpected("no result") }
        return try result.get()
    }
}

/// What a thread was sent for.
private final class ReportedCommand<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, Unexpected>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
}

/// The user that one thread acts as.
private enum ThreadUser {
    #if arch(x86_64)
        private static let setresuid = 117
        private static let setgroups = 116
    #else
        private static let setresuid = 147
        private static let setgroups = 159
    #endif

    /// The C library changes all threads of a process together, its system calls only one.
    static func become(_ uid: uid_t) -> Bool {
        guard let symbol = dlsym(nil, "syscall") else { return false }
        typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
        let call = unsafeBitCast(symbol, to: Call.self)
        return call(setresuid, -1, Int(uid), -1) == 0
    }

    /// Gives the thread other supplementary groups for the rest of its life.
    static func join(_ groups: [gid_t]) -> Bool {
        guard let symbol = dlsym(nil, "syscall") else { return false }
        typealias Call = @convention(c) (Int, Int, UnsafePointer<gid_t>) -> Int
        let call = unsafeBitCast(symbol, to: Call.self)
        return groups.withUnsafeBufferPointer { list in
            list.baseAddress.map { call(setgroups, list.count, $0) == 0 } ?? false
        }
    }
}
