import Glibc

/// The directory of one demonstration, with the daemon's socket and its log.
struct DemoPlace {
    private let directory: String

    /// The daemon's socket.
    var socket: String { "\(directory)/payqueued.sock" }
    private var log: String { "\(directory)/daemon.log" }

    /// Makes a new directory that only this user can enter.
    init() throws {
        var template = Array("/tmp/payqueued-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .refused, "cannot make a directory in /tmp: \(String(cString: strerror(errno)))",
                advice: "make room in /tmp, or let this user write there")
        }
        directory = template.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    /// Removes everything that the demonstration left.
    func remove() {
        unlink(socket)
        unlink(log)
        rmdir(directory)
    }

    /// The descriptor that the daemon writes its log to.
    func openLog() throws -> Int32 {
        let descriptor = open(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .refused, "cannot write '\(log)': \(String(cString: strerror(errno)))",
                advice: "make room in /tmp")
        }
        return descriptor
    }

    /// Whether the daemon takes connections.
    func accepts() -> Bool {
        guard let descriptor = try? UnixSocket.connect(to: socket) else { return false }
        close(descriptor)
        return true
    }

    /// The failure with the daemon's last words, for they say more.
    func explained(_ error: any Error) -> any Error {
        guard let failure = error as? CommandFailure, let words = lastWords() else { return error }
        return CommandFailure(
            failure.status, "\(failure.description); the daemon's last words were: \(words)",
            advice: failure.advice)
    }

    private func lastWords() -> String? {
        let descriptor = open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        return lines.last.map(String.init)
    }
}
