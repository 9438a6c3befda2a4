/// The timeouts for the daemon's own answers, independent of the timeout of an operation.
enum Patience {
    /// The timeout of the first answers on a connection, which come at once unless the daemon
    /// hangs. It is 1 to 5 seconds, so that a busy machine has enough time.
    static func first(_ timeout: Duration) -> Duration {
        min(max(timeout, .seconds(1)), .seconds(5))
    }

    /// The timeout of later answers, at least 5 seconds. A short timeout for a purchase does not
    /// apply to a daemon that has answered before.
    static func later(_ timeout: Duration) -> Duration {
        max(timeout, .seconds(5))
    }
}
