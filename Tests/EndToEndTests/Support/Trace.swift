import Foundation

/// What strace saw, call by call.
struct Trace {
    /// Why the daemon cannot be traced here; nil if it can.
    static let obstacle: String? = {
        guard Built.has("strace") else { return "strace is not installed" }
        // It keeps its memory to itself: another process of the same user may not look at it either.
        guard geteuid() == 0 else { return "only root may trace a process that is not dumpable" }
        guard let place = try? Workplace(),
            let tried = try? Child.run(["strace", "-o", place("probe"), "true"], in: place),
            tried.ending == .exit(0)
        else { return "this user may not trace processes" }
        return nil
    }()

    /// One system call.
    struct Call {
        let name: String
        /// The call as strace writes it, quotes escaped; in one piece even if it was interrupted.
        let text: Data
        let result: Int?
        /// The lines of the trace at which it began and ended.
        let start: Int
        let end: Int

        func contains(_ part: String) -> Bool {
            text.range(of: Data(part.utf8)) != nil
        }
    }

    /// Successful syncs of the queue's own journal.
    let syncs: [Call]
    /// Writes to the queue's own journal.
    let journaled: [Call]
    /// What left over sockets.
    let sent: [Call]
    /// Whether a sync was made to fail.
    let hasFailedSync: Bool

    /// Reads a trace written with `-f -yy -o`.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - state: The daemon's state directory.
    init(_ bytes: [UInt8], state: String) {
        let calls = Self.calls(bytes)
        let journal = "\(state)/journal-"
        let isSync = { (call: Call) in call.name == "fdatasync" || call.name == "fsync" }
        syncs = calls.filter { isSync($0) && $0.result == 0 && $0.contains(journal) }
        journaled = calls.filter { $0.name.contains("write") && $0.contains(journal) }
        sent = calls.filter { call in
            (call.name.hasPrefix("send") || call.name.contains("write"))
                && (call.contains("<UNIX") || call.contains("<socket:"))
        }
        hasFailedSync = calls.contains { isSync($0) && $0.result == -1 }
    }

    /// In the order in which they ended.
    private static func calls(_ bytes: [UInt8]) -> [Call] {
        var calls: [Call] = []
        var begun: [String: (name: String, text: Data, start: Int)] = [:]
        for (number, line) in bytes.split(separator: 10).enumerated() {
            let thread = String(decoding: line.prefix { $0 != 32 }, as: UTF8.self)
            let rest = line.drop { $0 != 32 }.drop { $0 == 32 }
            let tail = String(decoding: rest.suffix(60), as: UTF8.self)
            if rest.starts(with: "<... ".utf8) {
                guard let first = begun.removeValue(forKey: thread) else { continue }
                calls.append(
                    Call(
                        name: first.name, text: first.text + Data(rest), result: result(tail),
                        start: first.start, end: number))
                continue
            }
            let name = rest.prefix { $0 != UInt8(ascii: "(") }
            guard name.count < min(40, rest.count) else { continue }
            let word = String(decoding: name, as: UTF8.self)
            if tail.hasSuffix("<unfinished ...>") {
                begun[thread] = (word, Data(rest), number)
            } else {
                calls.append(
                    Call(
                        name: word, text: Data(rest), result: result(tail), start: number,
                        end: number))
            }
        }
        return calls
    }

    /// The number behind the last equals sign.
    private static func result(_ tail: String) -> Int? {
        guard let equals = tail.ranges(of: " = ").last?.upperBound else { return nil }
        return Int(tail[equals...].prefix { $0 == "-" || $0.isNumber })
    }
}
