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

    /// Checks that each file is there and has its length.
    ///
    /// - Parameters:
    ///   - disk: The directory.
    ///   - isDeep: Whether all lines are read and verified.
    /// - Throws: The finding about the first file that is missing or damaged.
    func check(on disk: any Disk, isDeep: Bool) throws(RecoveryRefusal) {
        for file in manifest.files { try check(file, on: disk, isDeep: isDeep) }
    }

    private func check(
        _ file: ArchiveFile, on disk: any Disk, isDeep: Bool
    ) throws(RecoveryRefusal) {
        let status = try reading(file.name) { () throws(DiskFailure) in
            try disk.status(of: file.name)
        }
        guard let status, status.length == file.bytes else {
            throw RecoveryRefusal(
                .missingHistory, file: file.name, firstInDoubt: file.first,
                lastInDoubt: file.last,
                detail: status == nil ? "it is missing" : "its length is not \(file.bytes)")
        }
        guard isDeep else { return }
        do throws(ArchiveFailure) {
            var scanner = try ArchiveScanner(file, of: id, on: disk)
            while try scanner.next() != nil {}
        } catch {
            throw RecoveryRefusal(
                .missingHistory, file: file.name, firstInDoubt: file.first,
                lastInDoubt: file.last, detail: error.description)
        }
    }
}
