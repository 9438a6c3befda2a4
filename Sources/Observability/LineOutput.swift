internal import Glibc
internal import Synchronization

/// Writes whole lines to a descriptor, from any thread, one at a time and without ever failing.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let turn = Mutex<Void>(())

    /// - Parameter descriptor: Where to write. It stays the caller's and must outlive this object.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes a line and its line feed. A line that is not read is lost.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        turn.withLock { _ in put(bytes) }
    }

    /// A reader that is full gets no second chance for a line it has not begun; one that took half
    /// a line is waited for a little, because half a line would spoil the next one too.
    private func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddressOfSlice, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN, rest.count < raw.count, waitUntilWritable() {
                    continue
                } else {
                    return
                }
            }
        }
    }

    private func waitUntilWritable() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let patienceMilliseconds: Int32 = 100
        return poll(&request, 1, patienceMilliseconds) > 0
    }
}

extension Slice where Base == UnsafeRawBufferPointer {
    /// Where the slice begins in memory.
    fileprivate var baseAddressOfSlice: UnsafeRawPointer? {
        UnsafeRawBufferPointer(rebasing: self).baseAddress
    }
}
