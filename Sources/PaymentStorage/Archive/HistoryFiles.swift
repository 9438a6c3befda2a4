internal import PaymentCore
internal import StrictJSON

/// The files of closed things that belong to a snapshot.
struct HistoryFiles: Sendable, Hashable {
    /// The identifier in all of them. It stays when a store is restored from a backup or repaired, so
    /// that the files are copied as they are.
    var id: UniqueID
    /// The files.
    var manifest: ArchiveManifest

    init(id: UniqueID, manifest: ArchiveManifest) {
        self.id = id
        self.manifest = manifest
    }

    /// Appends an object with sorted names.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("files")
        writer.beginArray()
        for file in manifest.files {
            writer.element()
            file.encode(into: &writer)
        }
        writer.endArray()
        writer.name("id")
        writer.identifier(id)
        writer.endObject()
    }

    /// Reads the object at an offset.
    init(_ content: LineContent, _ offset: Int) throws(PayloadFault) {
        guard let end = content.endOfValue(at: offset),
            let value = try? JSONValue(
                parsing: content.bytes.span.extracting(offset..<end), limits: .trusted),
            let id = value["id"]?.stringValue.flatMap({ UniqueID($0) }),
            let files = value["files"]?.arrayValue
        else { throw PayloadFault("'history' has another shape") }
        let decoded = files.compactMap { ArchiveFile($0) }
        guard decoded.count == files.count else {
            throw PayloadFault("'history' names a file in another way")
        }
        self.init(id: id, manifest: ArchiveManifest(decoded))
    }

    /// Checks that each file is there, has its length, and is not that of another store.
    ///
    /// - Throws: The finding about the first file of which this is not true.
    func check(on disk: any Disk) throws(RecoveryRefusal) {
        for file in manifest.files { try check(file, on: disk, isDeep: false) }
    }

    /// Reads all lines of each file.
    ///
    /// - Parameter disk: The directory.
    /// - Returns: The files that are missing or damaged, with the findings about them.
    func damaged(on disk: any Disk) -> [(file: ArchiveFile, finding: RecoveryRefusal)] {
        manifest.files.compactMap { file in
            do throws(RecoveryRefusal) {
                try check(file, on: disk, isDeep: true)
                return nil
            } catch {
                return (file, error)
            }
        }
    }

    /// Checks a file.
    ///
    /// - Parameters:
    ///   - file: One of the manifest.
    ///   - disk: The directory.
    ///   - isDeep: Whether all lines are read and verified, and not only the length.
    /// - Throws: The finding, if the file is missing or damaged.
    func check(
        _ file: ArchiveFile, on disk: any Disk, isDeep: Bool
    ) throws(RecoveryRefusal) {
        let status = try reading(file.name) { () throws(DiskFailure) in
            try disk.status(of: file.name)
        }
        guard let status, status.kind == .regular, status.length == file.bytes else {
            let detail =
                switch status?.kind {
                case nil: "it is missing"
                case .regular: "its length is not \(file.bytes)"
                case .directory, .other: "it is not a regular file"
                }
            throw RecoveryRefusal(
                .missingHistory, file: file.name, firstInDoubt: file.first,
                lastInDoubt: file.last, detail: detail)
        }
        guard isDeep else { return try checkHeader(of: file, on: disk) }
        do throws(ArchiveFailure) {
            var scanner = try ArchiveScanner(file, of: id, on: disk)
            while try scanner.next() != nil {}
        } catch .disk(let failure) {
            throw RecoveryRefusal(
                .unreadable, file: file.name, firstInDoubt: file.first, lastInDoubt: file.last,
                detail: failure.description)
        } catch .damaged(_, let offset, let reason) {
            throw RecoveryRefusal(
                .missingHistory, file: file.name, offset: offset, firstInDoubt: file.first,
                lastInDoubt: file.last, detail: reason)
        } catch {
            preconditionFailure("a file is read without its index: \(error)")
        }
    }

    /// Refuses a file whose header is intact and names another store, kind or range. Two stores may use the
    /// same key, so a line of another store would be a wrong answer. A damaged header is not judged here.
    private func checkHeader(
        of file: ArchiveFile, on disk: any Disk
    ) throws(RecoveryRefusal) {
        let bytes = try reading(file.name) { () throws(DiskFailure) in
            try disk.open(file.name, .read).readAll(limit: Self.headerLimit)
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let checksum = bytes.withUnsafeBytes {
            LineFormat.verify(UnsafeRawBufferPointer(rebasing: $0[..<end]), seed: 0)
        }
        guard checksum != nil, let line = ArchiveLine(0..<end, in: bytes) else { return }
        let header = ArchiveHeader(kind: file.kind, first: file.first, store: id)
        guard (try? ArchiveHeader(line.content)) == header else {
            throw RecoveryRefusal(
                .foreignFile, file: file.name, firstInDoubt: file.first, lastInDoubt: file.last,
                detail: "its header names another file")
        }
    }

    /// The maximum length of a header in bytes.
    private static let headerLimit = 1024
}
