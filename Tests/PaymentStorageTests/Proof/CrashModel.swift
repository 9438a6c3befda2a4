import PaymentTesting

/// A way in which a file system leaves what was not synced.
enum CrashModel: String, CaseIterable, Sendable {
    /// Changes of names reach the disk in their order, and a file gets its length after its bytes.
    case ordered
    /// Changes of names reach the disk in their order; bytes and lengths as they come. What is missing
    /// within a length is zero.
    case writeback
    /// A file has its new length, and blocks of 4 KiB that were never written read as zeros.
    case zeroFilled
    /// Each change of a name reaches the disk for itself.
    case reordered
    /// All names are there, without the bytes of their files.
    case namesFirst
    /// Each sector of 512 bytes is written for itself.
    case torn512
    /// Each page of 4 KiB is written for itself.
    case torn4096

    /// How many images are drawn at one moment beside the extremes.
    static let draws = 8
    /// Up to so many choices all combinations are made.
    static let exhaustiveChoices = 5

    /// Gives `body` images that a loss of power can leave now. Some may be equal.
    func images(of disk: CrashDisk, seed: UInt64, _ body: (CrashImage) -> Void) {
        var builder = CrashBuilder(model: self, disk: disk, choice: .none)
        body(builder.image())
        guard !disk.pending.isEmpty || !disk.pendingFiles.isEmpty else { return }
        builder.choice = .all
        body(builder.image())
        let choices = builder.choiceCount
        if choices <= Self.exhaustiveChoices, self != .ordered, self != .writeback {
            for mask in 0..<UInt64(1) << choices {
                builder.choice = .mask(mask)
                body(builder.image())
            }
            return
        }
        for draw in 0..<Self.draws {
            builder.choice = .drawn(SeededGenerator(seed: seed << 4 | UInt64(draw)))
            body(builder.image())
        }
    }
}

/// The answer to whether something had reached the disk.
enum CrashChoice {
    case none
    case all
    case mask(UInt64)
    case drawn(SeededGenerator)

    /// Whether the next thing is there.
    mutating func next() -> Bool { below(2) == 1 }

    /// How many steps of a few were made; 0 for none.
    mutating func below(_ count: Int) -> Int {
        switch self {
        case .none: return 0
        case .all: return count - 1
        case .mask(let bits):
            self = .mask(bits >> 1)
            return bits & 1 == 1 ? count - 1 : 0
        case .drawn(var dice):
            defer { self = .drawn(dice) }
            return dice.below(count)
        }
    }
}

/// Makes images of a disk as a model and a choice say.
struct CrashBuilder {
    let model: CrashModel
    let disk: CrashDisk
    var choice: CrashChoice
    private let pendingFiles: [Int]

    init(model: CrashModel, disk: CrashDisk, choice: CrashChoice) {
        self.model = model
        self.disk = disk
        self.choice = choice
        pendingFiles = disk.pendingFiles.sorted()
    }

    /// How many questions an image asks.
    var choiceCount: Int {
        var count = 0
        switch model {
        case .ordered, .writeback, .zeroFilled: count += disk.pending.isEmpty ? 0 : 1
        case .reordered: count += disk.pending.count
        case .namesFirst, .torn512, .torn4096: break
        }
        for number in pendingFiles {
            guard let file = disk.files[number] else { continue }
            switch model {
            case .namesFirst: count += 1
            case .zeroFilled, .torn4096: count += Set(file.versions.keys.map { $0 / 8 }).count
            default: count += file.versions.count
            }
        }
        return count
    }

    /// The next image.
    mutating func image() -> CrashImage {
        var image = DiskImage()
        image.directories = entries()
        var hash: UInt64 = 0
        var contents: [Int: (bytes: [UInt8], hash: UInt64)] = [:]
        for number in pendingFiles {
            guard let file = disk.files[number] else { continue }
            let bytes = content(of: file)
            contents[number] = (bytes, CrashHash.of(bytes))
        }
        for (directory, entries) in image.directories {
            let place = CrashHash.mix(1, UInt64(directory))
            for (name, number) in entries {
                var entry = CrashHash.mix(
                    CrashHash.mix(place, CrashHash.of(name)), UInt64(number))
                if let content = contents[number] {
                    image.files[number] = content.bytes
                    entry = CrashHash.mix(entry, content.hash)
                } else if let file = disk.files[number] {
                    image.files[number] = file.durable
                    entry = CrashHash.mix(entry, file.hash)
                }
                hash &+= entry
            }
        }
        image.lastNumber = max(
            disk.files.keys.max() ?? 0, disk.directories.keys.max() ?? 0)
        return CrashImage(disk: image, hash: hash)
    }

    private mutating func entries() -> [Int: [String: Int]] {
        var result = disk.directories
        let count =
            switch model {
            case .ordered, .writeback, .zeroFilled:
                disk.pending.isEmpty ? 0 : choice.below(disk.pending.count + 1)
            case .reordered, .namesFirst, .torn512, .torn4096: disk.pending.count
            }
        for pending in disk.pending.prefix(count) {
            if model == .reordered, !choice.next() { continue }
            for change in pending.changes {
                change.apply(to: &result[pending.directory, default: [:]])
            }
        }
        return result
    }

    private mutating func content(of file: CrashDisk.File) -> [UInt8] {
        switch model {
        case .ordered: ordered(file)
        case .writeback:
            scattered(file, sectors: 1, length: file.lengths[choice.below(file.lengths.count)])
        case .zeroFilled: scattered(file, sectors: 8, length: file.seen.count)
        case .namesFirst: choice.next() ? padded(file.durable, to: file.seen.count) : file.durable
        case .reordered, .torn512: scattered(file, sectors: 1, length: nil)
        case .torn4096: scattered(file, sectors: 8, length: nil)
        }
    }

    /// A length, all bytes by which it exceeds the certain one, and some of the sectors before.
    private mutating func ordered(_ file: CrashDisk.File) -> [UInt8] {
        let length = file.lengths[choice.below(file.lengths.count)]
        var bytes = scattered(file, sectors: 1, length: length)
        let start = file.durable.count
        let end = min(length, file.seen.count)
        if start < end { bytes.replaceSubrange(start..<end, with: file.seen[start..<end]) }
        return bytes
    }

    /// Some of the sectors, each group of them for itself, in one of the contents that they had.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - sectors: How many sectors are written together.
    ///   - length: The length; nil for one that the sectors reach.
    /// - Returns: The content.
    private mutating func scattered(
        _ file: CrashDisk.File, sectors: Int, length: Int?
    ) -> [UInt8] {
        let size = CrashDisk.sectorBytes
        var bytes = file.durable
        var group = -1
        var isThere = false
        for sector in file.versions.keys.sorted() {
            guard let versions = file.versions[sector] else { continue }
            if sector / sectors != group {
                group = sector / sectors
                isThere = choice.next()
            }
            guard isThere else { continue }
            var version = versions[versions.count - 1]
            if sectors == 1, versions.count > 1, case .drawn = choice {
                version = versions[choice.below(versions.count)]
            }
            let start = sector * size
            if bytes.count < start + version.count {
                bytes = padded(bytes, to: start + version.count)
            }
            bytes.replaceSubrange(start..<start + version.count, with: version)
        }
        if let length { return padded(bytes, to: length) }
        // A cut reaches the disk or does not.
        if file.seen.count < bytes.count, file.lengths.count > 1, choice.next() {
            return padded(bytes, to: file.seen.count)
        }
        return bytes
    }

    private func padded(_ bytes: [UInt8], to length: Int) -> [UInt8] {
        guard bytes.count < length else { return Array(bytes.prefix(length)) }
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
}
