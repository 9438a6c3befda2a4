import FoundationEssentials
import Glibc

/// The directory of one demonstration: the daemon's socket, its files and its log.
struct DemoPlace {
    let directory: String

    /// The daemon's socket.
    var socket: String { "\(directory)/payqueued.sock" }
    /// The daemon's state directory.
    var state: String { "\(directory)/state" }
    private var log: String { "\(directory)/daemon.log" }

    /// Creates a new directory that only this user can enter.
    init() throws {
        var template = Array("/tmp/payqueued-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .refused, "cannot make a directory in /tmp: \(SystemWords.of(errno))",
                advice: "free space in /tmp, or let this user write there")
        }
        directory = template.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    /// Removes the directory.
    func remove() {
        // The system cleans /tmp, so a failure is ignored.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A descriptor of the daemon's log.
    func openLog() throws -> Int32 {
        let descriptor = open(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .refused, "cannot write '\(log)': \(SystemWords.of(errno))",
                advice: "free space in /tmp")
        }
        return descriptor
    }

    /// The last line of the log; nil if there is none.
    var lastWords: String? {
        FileManager.default.contents(atPath: log).flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").last.map(String.init)
        }
    }
}
