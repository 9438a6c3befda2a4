/// Syncs a file on a background thread. It may wait afterwards, so that commits find the disk free most of
/// the time.
public typealias BackgroundSync = @Sendable (_ file: any DiskFile) throws(DiskFailure) -> Void

/// A file that is written from its beginning, while other threads commit to other files.
///
/// It is synced in slices: a commit waits for everything that the disk is taking at the moment, whichever
/// file that belongs to.
struct PacedFile {
    /// The number of bytes that a writer should collect for one ``append(_:)``.
    static let pieceBytes = 1 << 17
    /// The number of bytes between two syncs.
    static let sliceBytes = 1 << 18

    private let file: any DiskFile
    private let syncSlice: BackgroundSync
    private var unsyncedBytes = 0
    /// The number of bytes written so far.
    private(set) var length = 0

    /// Begins at the start of a file.
    init(_ file: any DiskFile, sync: @escaping BackgroundSync) {
        self.file = file
        syncSlice = sync
    }

    /// Writes bytes, and before them syncs the file if a slice is complete.
    mutating func append(_ bytes: [UInt8]) throws(DiskFailure) {
        if unsyncedBytes >= Self.sliceBytes {
            try syncSlice(file)
            unsyncedBytes = 0
        }
        try file.writeAll(bytes, at: length)
        length += bytes.count
        unsyncedBytes += bytes.count
    }

    /// Syncs the last slice.
    func finish() throws(DiskFailure) {
        try file.sync()
    }
}
