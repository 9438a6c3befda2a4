import Glibc
import PaymentCore

extension Timestamp {
    /// The current wall-clock time.
    static var now: Timestamp {
        var time = timeval()
        gettimeofday(&time, nil)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_usec) / 1000)
    }
}
