import Dispatch
import Foundation
import StrictJSON
import Synchronization

/// One end of a Unix socket, as raw as a test needs it.
///
/// A thread of its own reads and a queue of its own writes, so that a test that waits holds up
/// nobody: the store's answers need the threads that tests run on.
final class Peer: Sendable {
    private let descriptor: Int32
    private let mailbox = Mailbox()
    private let writing = DispatchQueue(label: "peer")
    private let isReading = Mutex(false)
    private let socketState = SocketState()

    /// Takes a socket over.
    ///
    /// - Parameters:
    ///   - descriptor: A connected socket; this closes it.
    ///   - reads: Whether it reads from the start, or only after ``startReading()``.
    init(descriptor: Int32, reads: Bool = true) {
        self.descriptor = descriptor
        if reads { startReading() }
    }

    /// Connects to a path.
    convenience init(path: String, reads: Bool = true) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
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
        let isReading = isReading.withLock { $0 }
        socketState.shutDown(descriptor, Int32(SHUT_RDWR))
        // A thread that reads closes the socket when it has seen its end.
        if !isReading { socketState.close(descriptor) }
    }

    /// Begins to read; does nothing if it already does.
    func startReading() {
        let begins = isReading.withLock { isReading in
            defer { isReading = true }
            return !isReading
        }
        guard begins else { return }
        Thread.detachNewThread { [descriptor, mailbox, socketState] in
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                mailbox.put(buffer[..<count])
            }
            mailbox.end()
            socketState.close(descriptor)
        }
    }

    /// Writes bytes in one piece, as far as the socket takes them in one.
    ///
    /// - Returns: Whether all of them were taken.
    @discardableResult
    func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { done in
            writing.async { [descriptor] in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        Foundation.send(
                            descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
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
        socketState.shutDown(descriptor, Int32(SHUT_WR))
    }

    /// Goes away without a word.
    func leave() {
        socketState.shutDown(descriptor, Int32(SHUT_RDWR))
    }

    /// The next line; nil at the end.
    func line(within seconds: Double = 10) async throws -> [UInt8]? {
        try await mailbox.next(within: seconds)
    }

    /// The next line as a value; throws at the end.
    func message(within seconds: Double = 10) async throws -> JSONValue {
        guard let line = try await line(within: seconds) else {
            throw Unexpected("the connection has ended")
        }
        return try JSONValue(parsing: line)
    }

    /// Everything up to the end of the connection.
    func rest(within seconds: Double = 10) async throws -> [JSONValue] {
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

/// Whether a descriptor is still the socket's: once it is closed, its number may be another's.
private final class SocketState: Sendable {
    private let isOpen = Mutex(true)

    func shutDown(_ descriptor: Int32, _ how: Int32) {
        isOpen.withLock { isOpen in
            if isOpen { _ = shutdown(descriptor, how) }
        }
    }

    func close(_ descriptor: Int32) {
        isOpen.withLock { isOpen in
            if isOpen { Foundation.close(descriptor) }
            isOpen = false
        }
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
