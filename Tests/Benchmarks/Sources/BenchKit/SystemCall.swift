import Glibc

/// A failed system call as a sentence.
func failure(_ attempt: String) -> BenchFailure {
    BenchFailure("cannot \(attempt): \(String(cString: strerror(errno)))")
}

/// Nanoseconds of a clock that only moves forward.
func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Lends the address of a Unix socket.
func withUnixAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) throws(BenchFailure) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else {
        throw BenchFailure("cannot use socket '\(path)': longer than \(capacity - 1) bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Connects to a Unix stream socket.
///
/// - Returns: The descriptor, nil if no server listens there.
func connectToSocket(at path: String) throws(BenchFailure) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw failure("make a socket") }
    let status = try withUnixAddress(path) { connect(descriptor, $0, $1) }
    guard status == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}

/// Writes all bytes to a blocking descriptor.
func sendAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(BenchFailure) {
    var sent = 0
    while sent < bytes.count {
        let count = send(
            descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
            Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw failure("send requests") }
        sent += count
    }
}

/// Writes all bytes to a blocking descriptor.
func sendAll(_ bytes: [UInt8], to descriptor: Int32) throws(BenchFailure) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    try sendAll(UnsafeRawBufferPointer(copy), to: descriptor)
}

/// Reads what has come on a socket, at least one byte.
///
/// - Parameters:
///   - buffer: The place for the bytes.
///   - descriptor: The socket.
///   - server: The name of the other side in failures.
/// - Returns: The number of bytes.
/// - Throws: The other side closed the connection, or it cannot be read.
func receive(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, of server: String
) throws(BenchFailure) -> Int {
    while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return count }
        guard count < 0 else { throw BenchFailure("\(server) closed a connection") }
        guard errno == EINTR else { throw failure("read from \(server)") }
    }
}

/// Reads a small text file whole, such as one of `/proc`.
func contents(ofFile path: String) throws(BenchFailure) -> String {
    guard let file = fopen(path, "r") else { throw failure("open '\(path)'") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
        let count = fread(&buffer, 1, buffer.count, file)
        guard count > 0 else { break }
        bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Writes a small file that only its owner can read.
func write(_ text: String, toFile path: String) throws(BenchFailure) {
    let file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("create '\(path)'") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
        throw failure("write '\(path)'")
    }
}

/// Seconds since a moment of ``monotonicNanoseconds()``.
func seconds(since began: UInt64) -> Double {
    Double(monotonicNanoseconds() - began) / 1e9
}
