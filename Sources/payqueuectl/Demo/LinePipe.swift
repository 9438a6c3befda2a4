import Glibc

/// A conversation by lines over two descriptors, which it owns.
struct LinePipe: ~Copyable {
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []

    /// Takes the descriptors over.
    init(reading input: Int32, writing output: Int32) {
        self.input = input
        self.output = output
    }

    deinit {
        close(input)
        if output != input { close(output) }
    }

    /// Writes one line.
    func send(_ line: String) throws {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            guard written > 0 else {
                if errno == EINTR { continue }
                throw CommandFailure(
                    .noConnection,
                    "cannot write to the daemon: \(String(cString: strerror(errno)))",
                    advice: "run the demonstration again")
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Waits for one line.
    ///
    /// - Throws: ``CommandFailure`` when the other side ended or nothing came in time.
    mutating func receive(within timeout: Duration) throws -> String {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let end = unread.firstIndex(of: 10) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                return line
            }
            try Interruption.check()
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .timeRanOut, "cannot go on: the daemon sent nothing for \(timeout)",
                    advice: "run the demonstration again when the machine is less busy")
            }
            try fill()
        }
    }

    private mutating func fill() throws {
        var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 50) > 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(input, &chunk, chunk.count)
        guard count > 0 else {
            if count < 0, errno == EINTR { return }
            throw CommandFailure(
                .noConnection, "cannot go on: the connection to the daemon ended",
                advice: "run the demonstration again")
        }
        unread += chunk[..<count]
    }
}
