import Logging
import Observability

/// What the log tells under a name that stays, whatever becomes of its wording. The message catalogue
/// `systemd/payqueued.catalog` explains each of them.
enum NotableEvent: String, CaseIterable {
    /// The daemon answers clients.
    case ready = "2655912ceec64cf788a7ae430e200097"
    /// What the process before had not ended was put right.
    case recovered = "dfd24ddde37b4294a6bfd97d29a9648d"
    /// Bytes at the end of the journal that nobody was told of were cut off.
    case tailCut = "d6548663e3a046acb5ce704c2d0326e8"
    /// A new configuration is in force.
    case reloaded = "6ea2917a45c2477fab9d6feb07003730"
    /// A new configuration was refused, and the old one stays in force.
    case reloadRefused = "8879af1e03b6499b9cdff9c018e43118"
    /// Connections of the process before go on.
    case connectionsRestored = "90b79f0829ad4ae0add00b52bb1c83df"
    /// Connections were left for the next process.
    case connectionsLeft = "957eb58aa550478cb0b89985efc758e9"
    /// A loop or the disk stands still; the watchdog is not told that all is well.
    case stalled = "542d10339b4a4a2fb39b3a3d11d289ab"
    /// The store stopped answering.
    case storeDown = "810da64473ae449fa907c14e3ab75f4b"
    /// The store answers again.
    case storeUp = "f410e9be0dfa4aa8891ce354bd6cb326"
    /// Storage failed; the process ends.
    case storageFailed = "ad7644d4b6e34aae86b5094abfd0b145"
    /// The daemon began to stop.
    case stopping = "8274a5bde78a4c96bcd5249489795dc9"
    /// The daemon has stopped.
    case stopped = "1663866187134040bb1cdd661eadcf25"
    /// A transaction changed.
    case transaction = "d277f63ac0a04236b15fe01417abbfbf"
}

extension Logger.Metadata {
    /// Metadata of a notable event.
    static func kind(_ event: NotableEvent, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
        more.merging([LogKey.messageID: "\(event.rawValue)"]) { first, _ in first }
    }
}
