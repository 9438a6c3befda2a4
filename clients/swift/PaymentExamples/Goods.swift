import Glibc
import PaymentClient

/// What stands for the application in these examples: a file of unlocked products, one line each.
///
/// Unlocking is by transaction and may be repeated: a handler must not mind to see one twice.
struct Goods {
    private let path = variable("GOODS") ?? "goods.txt"

    /// Grants the product; on disk before this returns, because `finish` comes next.
    func unlock(_ transaction: ObservedTransaction) throws {
        guard let file = fopen(path, "a+e") else { throw GoodsFailure(path) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(transaction.id + " ") { return }
        }
        fputs("\(transaction.id) \(transaction.product)\n", file)
        guard fflush(file) == 0, fsync(fileno(file)) == 0 else { throw GoodsFailure(path) }
    }
}

/// The goods could not be written down.
struct GoodsFailure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) {
        description = "cannot write '\(path)': \(String(cString: strerror(errno)))"
    }
}

/// A transaction in a few words.
func describe(_ transaction: ObservedTransaction) -> String {
    let waiting = transaction.waitingFor.map { "waits for \($0)" }
    return [transaction.product, transaction.state.rawValue, waiting, transaction.failure]
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

/// An environment variable.
func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
