import Glibc
import NIOCore

/// The direct output of a connection. It passes bytes to the kernel at once, without the channel's
/// pipeline.
///
/// Nearly every reply fits into the socket's buffer. The pipeline would copy and queue it, and would
/// take about five times as long for the same system call. Bytes that do not fit still go through the
/// pipeline, which waits until the peer has read.
struct SocketOutput {
    private let descriptor: Int32

    /// - Parameter descriptor: A connected stream socket that does not block. The channel owns it, and
    ///   closes it before it reports that it is inactive. The connection must not use it from then on.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Sends as much as fits.
    ///
    /// - Returns: The number of bytes that the kernel took; 0 if the peer is gone, which the channel
    ///   reports.
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
    /// The number of bytes that the channel has received and the kernel has not taken.
    var waitingBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
