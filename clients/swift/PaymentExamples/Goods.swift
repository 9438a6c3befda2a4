import Glibc
import PaymentClient
import StrictJSON

/// What stands for the application in these examples: a file of unlocked products, one line each.
///
/// Unlocking is by order and may be repeated: a handler must not mind to see one twice, nor two
/// transactions of one order. Several programs may unlock at once.
struct Goods {
    private let path = kept("GOODS", "goods.txt")

    /// Unlocks what may be unlocked, and takes back what was refunded; on disk before this returns,
    /// because `finish` comes next.
    func settle(_ transaction: ObservedTransaction) throws {
        guard let order = transaction.order else { return }
        if transaction.isRevoked { return try takeBack(order) }
        guard transaction.mayUnlock else { return }
        try change { lines in
            if lines.contains(where: { $0.hasPrefix(order + " ") }) { return }
            lines.append("\(order) \(transaction.product)")
        }
    }

    /// Takes back what was unlocked for an order, if anything was.
    func takeBack(_ order: String) throws {
        try change { $0.removeAll { $0.hasPrefix(order + " ") } }
    }

    private func change(_ edit: (inout [String]) -> Void) throws {
        // The system gives the lock back when its holder is killed.
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw GoodsFailure(path) }
        defer { close(lock) }
        let before = read()
        var lines = before
        edit(&lines)
        guard lines != before else { return }
        let aside = "\(path).new"
        guard let file = fopen(aside, "we") else { throw GoodsFailure(aside) }
        defer { fclose(file) }
        for line in lines { fputs(line + "\n", file) }
        guard fflush(file) == 0, fsync(fileno(file)) == 0, rename(aside, path) == 0 else {
            throw GoodsFailure(path)
        }
    }

    private func read() -> [String] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var line = [CChar](repeating: 0, count: 1024)
        while fgets(&line, CInt(line.count), file) != nil {
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            lines.append(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
        return lines
    }
}

/// The goods could not be written down.
struct GoodsFailure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) {
        description = "cannot write '\(path)': \(String(cString: strerror(errno)))"
    }
}

/// A transaction in a few words: what was bought, for whom or by whom, and where it stands.
func describe(_ transaction: ObservedTransaction) -> String {
    let client = transaction.snapshot["by"]?["client"]?.stringValue
    let buyer = transaction.appAccountToken.map { "for \($0)" } ?? client.map { "by \($0)" }
    let waiting = transaction.waitingFor.map { "waits for \($0)" }
    let refund = transaction.isRevoked ? "refunded" : nil
    return [
        transaction.product, transaction.state.rawValue, buyer, waiting, transaction.failure,
        transaction.offer, refund,
    ]
    .compactMap(\.self).joined(separator: " ")
}

/// Prints a line at once, so that a pipe sees it when it happens.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// Prints a line to standard error.
func complain(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    // Nothing is left to tell about a closed standard error.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Ends the program.
func leave(_ code: Int32) -> Never {
    exit(code)
}

/// The path of a file that outlives the program: what a variable names, or one in the user's state
/// directory, never in the directory that the program is started from.
func kept(_ name: String, _ file: String) -> String {
    if let named = variable(name) { return named }
    let state = variable("XDG_STATE_HOME") ?? (variable("HOME") ?? "") + "/.local/state"
    var folder = ""
    for part in (state + "/payqueued-examples").split(separator: "/") {
        folder += "/" + part
        mkdir(folder, 0o700)
    }
    return "\(folder)/\(file)"
}

/// An environment variable; nil if it is empty or not there.
func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
