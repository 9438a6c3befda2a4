/// What can be made to go wrong on a simulated disk, once, at the so-many-th call of a kind.
public struct MemoryDiskFault: Sendable, Hashable {
    /// The kinds of calls that are counted.
    public enum Call: Int, Sendable, Hashable, CaseIterable {
        /// Opening a file or directory.
        case open
        /// `pread`.
        case read
        /// `pwrite`.
        case write
        /// `fdatasync` of a file.
        case syncData
        /// `fsync` of a file.
        case sync
        /// `fsync` of a directory.
        case syncDirectory
        /// Cutting or extending.
        case truncate
        /// `fallocate`.
        case allocate
        /// Renaming.
        case rename
        /// Linking.
        case link
        /// Removing.
        case remove
        /// Listing.
        case list
        /// Asking for a status, a length or the room.
        case examine
        /// Taking the lock.
        case lock
    }

    /// What goes wrong.
    public enum Effect: Sendable, Hashable {
        /// Nothing is done and the call fails with this error number.
        case fail(errno: Int32)
        /// The write takes at most so many bytes.
        case short(bytes: Int)
        /// The write puts one wrong bit on the disk and says nothing.
        case corrupt
        /// The call claims to have written or synced and did not.
        case ignore
    }

    /// The kind of call.
    public var call: Call
    /// Which of them, counted from 1.
    public var number: Int
    /// Whether every later call of the kind meets the same.
    public var isLasting: Bool
    /// Only calls on names that begin like this are counted; empty for all.
    public var namePrefix: String
    /// What happens.
    public var effect: Effect

    /// Creates a fault.
    public init(
        _ call: Call, number: Int = 1, isLasting: Bool = false, namePrefix: String = "",
        _ effect: Effect
    ) {
        self.call = call
        self.number = number
        self.isLasting = isLasting
        self.namePrefix = namePrefix
        self.effect = effect
    }
}
