/// The log messages with a permanent identifier, independent of their wording: the journal's
/// `MESSAGE_ID`. The message catalogue `systemd/payqueued.catalog` explains each of them.
enum NotableEvent: String, CaseIterable {
    case ready = "c35305d430bf46a9aac4c7fe94cec052"
    case recovered = "ecb5078a41dd4109a2e255d18657ad94"
    case tailCut = "117db98aee0e4a979032559a11e41547"
    case snapshotDamaged = "8267a56288004a5da759716fe071b155"
    case reloaded = "1e37352cf25143b78de7963a452d714d"
    case reloadRefused = "c09bea7c98534a3fa76d5b62cccd3848"
    case connectionsResumed = "4f6ac4c2dedf4c84b9a81d895d5585a3"
    case connectionsLeft = "0a87663821684ff98a81fb4ca2610a37"
    case stalled = "8e89114ab8da4970ae7ee209044c0ff9"
    case storeDown = "d16bfc31df2249c7830807985c2f94af"
    case storeUp = "0e77e1015f624404a305c7cb78b32695"
    case sessionEnded = "5b0fd6e1c6794e0f9e9df6ad1a2c7d48"
    case storageFailed = "9983fc3287d44ae3b4cb1daa499cf671"
    case backupMade = "7fe9dd17466c430c83a743bd069f6a07"
    case backupFailed = "caec0a5c77ac46faa2a25d22cb2f69ac"
    case peerStalled = "cd503356cbb049498a3467c8545d6d21"
    case stopping = "b44086c14d2841fca01380d56bf6ee66"
    case stopped = "5616d17b64ca438890c20dd4ab622709"
    case transactionChanged = "ead27067180c45c297fef5a3461f54cf"

    /// The text of its log message.
    var phrase: String {
        switch self {
        case .ready: "ready"
        case .recovered: "recovered after an unclean stop"
        case .tailCut: "journal had a torn tail; cut it and kept a copy"
        case .snapshotDamaged: "snapshot is damaged; used an older one and the journal"
        case .reloaded: "reloaded the configuration"
        case .reloadRefused: "reload failed; the old configuration stays in effect"
        case .connectionsResumed: "took over the connections of the previous process"
        case .connectionsLeft: "passed connections to the service manager"
        case .stalled: "an event loop hangs; the service manager will end the daemon if this lasts"
        case .storeDown: "store does not answer; orders wait and are retried"
        case .storeUp: "store answers again"
        case .sessionEnded: "store ended the session; its work waits for a login"
        case .storageFailed: "storage failed; stopping"
        case .backupMade: "wrote a backup"
        case .backupFailed: "backup failed"
        case .peerStalled: "closed a connection whose peer read nothing for the time allowed"
        case .stopping: "stopping"
        case .stopped: "stopped"
        case .transactionChanged: "transaction"
        }
    }

    /// The identifiers by log message.
    static let messageIDs = Dictionary(
        allCases.map { ($0.phrase, $0.rawValue) }, uniquingKeysWith: { first, _ in first })
}
