import PaymentTesting

/// A disk while operations reach it: what is there for certain, and what a loss of power may leave of the
/// rest.
struct CrashDisk {
    /// A file: its certain content, and everything that was written since.
    struct File {
        var durable: [UInt8] = []
        var seen: [UInt8] = []
        /// The contents that each sector had since the last sync, the newest last.
        var versions: [Int: [[UInt8]]] = [:]
        /// The lengths since the last sync, the certain one first.
        var lengths: [Int] = [0]
        /// The hash of the certain content.
        var hash = CrashHash.of([])

        var isPending: Bool { !versions.isEmpty || lengths.count > 1 }

        init(_ bytes: [UInt8] = []) {
            durable = bytes
            sync(bytes)
        }

        mutating func write(_ bytes: [UInt8], at offset: Int) {
            if seen.count < offset + bytes.count { truncate(to: offset + bytes.count) }
            seen.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            note(offset..<offset + bytes.count)
        }

        mutating func truncate(to length: Int) {
            guard length != seen.count else { return }
            lengths.append(length)
            if length < seen.count {
                seen.removeLast(seen.count - length)
                versions = versions.filter { $0.key * CrashDisk.sectorBytes < length }
                note(length..<length)
            } else {
                seen += [UInt8](repeating: 0, count: length - seen.count)
            }
        }

        mutating func sync() { sync(seen) }

        private mutating func sync(_ bytes: [UInt8]) {
            durable = bytes
            seen = bytes
            versions = [:]
            lengths = [bytes.count]
            hash = CrashHash.of(bytes)
        }

        private mutating func note(_ range: Range<Int>) {
            guard !seen.isEmpty else { return }
            let size = CrashDisk.sectorBytes
            let last = max(range.lowerBound, range.upperBound - 1)
            for sector in range.lowerBound / size...last / size {
                let end = min((sector + 1) * size, seen.count)
                guard sector * size < end else { continue }
                versions[sector, default: []].append(Array(seen[sector * size..<end]))
            }
        }
    }

    /// A change of directory entries that is not certain yet.
    struct Pending {
        let directory: Int
        let changes: [DiskOperation.Change]
    }

    static let sectorBytes = 512

    private(set) var files: [Int: File] = [:]
    /// The certain entries.
    private(set) var directories: [Int: [String: Int]] = [:]
    /// All changes that are not certain, in order.
    private(set) var pending: [Pending] = []
    /// The numbers of the files with something that is not certain.
    private(set) var pendingFiles: Set<Int> = []

    init(_ image: DiskImage) {
        files = image.files.mapValues { File($0) }
        directories = image.directories
    }

    /// Has an operation happen.
    mutating func perform(_ operation: DiskOperation) {
        switch operation {
        case .createFile(let file): files[file] = File()
        case .createDirectory(let directory): directories[directory] = [:]
        case .write(let file, let offset, let bytes):
            files[file]?.write(bytes, at: offset)
            pendingFiles.insert(file)
        case .truncate(let file, let length):
            files[file]?.truncate(to: length)
            pendingFiles.insert(file)
        case .syncFile(let file):
            files[file]?.sync()
            pendingFiles.remove(file)
        case .change(let directory, let changes):
            pending.append(Pending(directory: directory, changes: changes))
        case .syncDirectory(let directory):
            for change in pending where change.directory == directory {
                for change in change.changes {
                    change.apply(to: &directories[directory, default: [:]])
                }
            }
            pending.removeAll { $0.directory == directory }
        }
    }
}

/// A content of a disk with a hash that differs for different contents.
struct CrashImage {
    var disk: DiskImage
    var hash: UInt64
}

/// A fast hash of 64 bits. Ten million images have equal hashes by accident once in a million runs.
enum CrashHash {
    static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash = UInt64(bytes.count) ^ 0x9E37_79B9_7F4A_7C15
            var offset = 0
            while offset + 8 <= bytes.count {
                hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < bytes.count {
                hash = mix(hash, UInt64(bytes[offset]))
                offset += 1
            }
            return hash
        }
    }

    static func of(_ text: String) -> UInt64 { of(Array(text.utf8)) }

    static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
        let product = (hash ^ value).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low &+ value
    }
}
