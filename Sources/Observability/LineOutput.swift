internal import Glibc
internal import Synchronization

/// A thread-safe writer of whole lines to a descriptor. It never fails; unwritable lines are lost.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let turn = Mutex<Void>(())

    /// - Parameter descriptor: The descriptor, which the caller owns. It must outlive this object.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes a line and its line feed. A line that is not read is lost.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        turn.withLock { _ in put(bytes) }
    }

    /// Writes bytes to a possibly non-blocking descriptor. A line is dropped if the descriptor is
    /// full at its start. After a partial write the call waits up to 100 ms per attempt, because
    /// half a line would corrupt the next one.
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
    /// The address of the first byte.
    fileprivate var baseAddressOfSlice: UnsafeRawPointer? {
        UnsafeRawBufferPointer(rebasing: self).baseAddress
    }
}
