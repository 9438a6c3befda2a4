import Dispatch
import Foundation
import StrictJSON
import Synchronization

/// One end of a Unix socket, as raw as a test needs it.
///
/// A thread of its own reads and a queue of its own writes, so that a test that waits holds up
/// nobody: the store's answers need the threads that tests run on.
final class Peer: Sendable {
    /// The socket, open as long as anybody may still use its number: a number that is given away
    /// names somebody else's socket.
    private final class Socket: Sendable {
        let number: Int32

        init(_ number: Int32) {
            self.number = number
        }

        deinit {
            Foundation.close(number)
        }
    }

    private let socket: Socket
    private var descriptor: Int32 { socket.number }
    private let mailbox = Mailbox()
    private let writing = DispatchQueue(label: "peer")
    private let isReading = Mutex(false)

    /// Takes a socket over.
    ///
    /// - Parameters:
    ///   - descriptor: A connected socket; this closes it.
    ///   - reads: Whether it reads from the start, or only after ``startReading()``.
    init(descriptor: Int32, reads: Bool = true) {
        socket = Socket(descriptor)
        if reads { startReading() }
    }

    /// Connects to a path.
    convenience init(path: String, reads: Bool = true) throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Foundation.socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            Foundation.close(descriptor)
            throw Unexpected("cannot connect to \(path): \(reason)")
        }
        self.init(descriptor: descriptor, reads: reads)
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Begins to read; does nothing if it already does.
    func startReading() {
        let begins = isReading.withLock { isReading in
            defer { isReading = true }
            return !isReading
        }
        guard begins else { return }
        Thread.detachNewThread { [socket, mailbox] in
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = recv(socket.number, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                mailbox.put(buffer[..<count])
            }
            mailbox.end()
        }
    }

    /// Writes bytes in one piece, as far as the socket takes them in one.
    ///
    /// - Returns: Whether all of them were taken.
    @discardableResult
    func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { done in
            writing.async { [socket] in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        Foundation.send(
                            socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                done.resume(returning: rest.isEmpty)
            }
        }
    }

    /// Writes a line.
    func send(_ line: String) async {
        await write(Array((line + "\n").utf8))
    }

    /// Says that nothing more will be written.
    func endInput() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Goes away without a word.
    func leave() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The next line; nil at the end.
    func line(within seconds: Double = 60) async throws -> [UInt8]? {
        try await mailbox.next(within: seconds)
    }

    /// The next line as a value; throws at the end.
    func message(within seconds: Double = 60) async throws -> JSONValue {
        guard let line = try await line(within: seconds) else {
            throw Unexpected("the connection has ended")
        }
        return try JSONValue(parsing: line)
    }

    /// Everything up to the end of the connection.
    func rest(within seconds: Double = 60) async throws -> [JSONValue] {
        var messages: [JSONValue] = []
        while let line = try await line(within: seconds) {
            messages.append(try JSONValue(parsing: line))
        }
        return messages
    }

    /// Sends a line and gives the next one back.
    func ask(_ line: String) async throws -> JSONValue {
        await send(line)
        return try await message()
    }
}

/// Lines between the thread that reads them and the test that takes them.
private final class Mailbox: Sendable {
    private struct Contents {
        var lines: [[UInt8]] = []
        var first = 0
        var partial: [UInt8] = []
        var hasEnded = false
        var waiter: (number: UInt64, resume: CheckedContinuation<Void, Never>)?
        var waits: UInt64 = 0

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter?.resume
        }

        mutating func takeLine() -> [UInt8]? {
            guard first < lines.count else { return nil }
            first += 1
            return lines[first - 1]
        }
    }

    private let contents = Mutex(Contents())

    func put(_ bytes: ArraySlice<UInt8>) {
        contents.withLock { contents in
            contents.partial += bytes
            while let end = contents.partial.firstIndex(of: 0x0A) {
                contents.lines.append(Array(contents.partial[..<end]))
                contents.partial.removeSubrange(...end)
            }
            return contents.first < contents.lines.count ? contents.takeWaiter() : nil
        }?.resume()
    }

    func end() {
        contents.withLock { contents in
            contents.hasEnded = true
            return contents.takeWaiter()
        }?.resume()
    }

    func next(within seconds: Double) async throws -> [UInt8]? {
        for hasWaited in [false, true] {
            let (line, hasEnded) = contents.withLock { ($0.takeLine(), $0.hasEnded) }
            if let line { return line }
            if hasEnded { return nil }
            guard !hasWaited else { break }
            await wait(seconds)
        }
        throw Unexpected("nothing came within \(seconds) seconds")
    }

    private func wait(_ seconds: Double) async {
        await withCheckedContinuation { done in
            let number = contents.withLock { contents -> UInt64? in
                guard contents.first == contents.lines.count, !contents.hasEnded else { return nil }
                contents.waits += 1
                contents.waiter = (contents.waits, done)
                return contents.waits
            }
            guard let number else { return done.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
                contents.withLock { contents in
                    contents.waiter?.number == number ? contents.takeWaiter() : nil
                }?.resume()
            }
        }
    }
}
