/// How long a command waits for the daemon itself, whatever it allows for what shall come about.
enum Patience {
    /// How long to wait for the first answers on a connection: they come at once, unless the daemon
    /// hangs. Never longer than a person allows, but long enough for a machine that is busy.
    static func first(_ timeout: Duration) -> Duration {
        min(max(timeout, .seconds(1)), .seconds(5))
    }

    /// How long to wait for the answers after that: a short patience with a purchase is none with
    /// a daemon that has answered.
    static func later(_ timeout: Duration) -> Duration {
        max(timeout, .seconds(5))
    }
}
