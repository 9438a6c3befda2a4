/// The store that keeps connections while no daemon serves them, such as the service manager. The program
/// supplies it. Called on the server's loop.
public protocol ConnectionStore: Sendable {
    /// Whether connections are kept while they are served, so that they also survive an end without notice. If
    /// not, each is kept when the server stops reading.
    var keepsAhead: Bool { get }

    /// Keeps a connection from now on, however this process ends.
    ///
    /// - Parameters:
    ///   - descriptor: The socket. It stays the caller's.
    ///   - name: A unique name.
    /// - Returns: Memory that is kept with it; nil if there is no room.
    func keep(descriptor: Int32, name: String) -> (any KeptMemory)?

    /// Stops keeping a connection.
    func drop(name: String)

    /// The connections that an earlier process left; the second call finds none.
    func takeLeft() -> [KeptConnection]
}

/// Bytes that outlive the process together with a connection.
///
/// A process that dies between ``beginChange()`` and ``settle(head:rest:)`` leaves bytes that are marked as
/// not whole: the last messages of that connection are unknown.
public protocol KeptMemory: AnyObject {
    /// The content; nil if it is not whole.
    var content: [UInt8]? { get }

    /// Marks the content as not whole, because what it describes is about to change.
    func beginChange()

    /// Writes the content and marks it as whole.
    ///
    /// - Parameters:
    ///   - head: The first bytes.
    ///   - rest: What follows; nil if it, and the number of bytes in the head, did not change.
    /// - Returns: False if there is no room.
    func settle(head: [UInt8], rest: [UInt8]?) -> Bool
}

/// A connection that an earlier process left.
public struct KeptConnection {
    /// The socket; owned by the server from now on.
    public let descriptor: Int32
    /// The name that it is kept under.
    public let name: String
    /// The memory that is kept with it.
    public let memory: any KeptMemory

    /// Creates a kept connection.
    public init(descriptor: Int32, name: String, memory: any KeptMemory) {
        self.descriptor = descriptor
        self.name = name
        self.memory = memory
    }
}
