import Glibc
import NIOCore

/// The direct output of a connection: bytes go to the kernel at once, past the channel's pipeline.
///
/// Nearly every reply fits into the socket's buffer. The pipeline would copy it into a buffer of its
/// own, queue it, and take some five times longer to come to the same system call. What does not fit
/// still goes through the pipeline, which waits until the peer has read.
struct SocketOutput {
    private let descriptor: Int32

    /// - Parameter descriptor: A connected stream socket that does not block. It belongs to the channel,
    ///   which closes it before it reports that it is inactive; the connection must not use this any more
    ///   from then on.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Sends as much as fits.
    ///
    /// - Returns: How many bytes the kernel took; none if the peer is gone, which the channel reports.
    func send(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            while true {
                let count = Glibc.send(
                    descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count >= 0 { return count }
                guard errno == EINTR else { return 0 }
            }
        }
    }
}

extension Channel {
    /// How many bytes it has got and the kernel has not taken.
    var waitingBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
