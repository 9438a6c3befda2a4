import PaymentTesting

/// A change to the files of a state directory that no program makes.
struct Mutation: CustomStringConvertible {
    private(set) var description = ""
    private var generator: SeededGenerator
    /// The files of another store of the same shape.
    private let others: [String: [UInt8]]

    init(seed: UInt64, others: [String: [UInt8]]) {
        generator = SeededGenerator(seed: seed)
        self.others = others
    }

    /// Changes one file, and a second one every other time.
    mutating func apply(to files: inout [String: [UInt8]]) {
        change(&files)
        if below(2) == 0 { change(&files) }
    }

    private mutating func change(_ files: inout [String: [UInt8]]) {
        let names = files.keys.sorted()
        guard let name = names.randomElement(using: &generator) else { return }
        let bytes = files[name] ?? []
        let kind = below(15)
        let length = bytes.count
        // Most of a prefilled segment is blank; its lines are where damage does harm.
        let used = min(length, (bytes.lastIndex { $0 != 10 && $0 != 0 } ?? -1) + 2)
        let place = below(max(1, below(3) == 0 ? length : used))
        let end = min(length, place + 1 + below([1, 16, 512, 4096][below(4)]))
        describe(kind, name, place, end)
        switch kind {
        case 0: files[name] = Array(bytes.prefix(place))
        case 1:
            guard place < length else { return }
            files[name]?[place] ^= 1 << UInt8(below(8))
        case 2: files[name] = nil
        case 3: replace(&files, name, place..<end) { _ in 0 }
        case 4: replace(&files, name, place..<end) { _ in 10 }
        case 5: replace(&files, name, place..<end) { UInt8(truncatingIfNeeded: $0.next()) }
        case 6: files[name] = others[name]
        case 7, 8, 9:
            var lines = bytes.split(separator: 10).map { Array($0) + [10] }
            guard !lines.isEmpty else { return }
            let index = below(lines.count)
            if kind == 7 {
                lines.removeLast(min(lines.count, 1 + below(3)))
            } else if kind == 8 {
                lines.remove(at: index)
            } else {
                lines.insert(lines[index], at: index)
            }
            files[name] = lines.flatMap { $0 }
        case 10: files[name] = []
        case 11:
            // One file under the name of another.
            files[names.randomElement(using: &generator) ?? name] = bytes
        case 12:
            // Two files under the names of each other.
            let other = names.randomElement(using: &generator) ?? name
            (files[name], files[other]) = (files[other], bytes)
        case 13:
            // A file under a name that says something else.
            guard let digit = name.lastIndex(where: \.isNumber) else { return }
            var renamed = name
            renamed.replaceSubrange(digit...digit, with: "\(below(10))")
            files[name] = nil
            files[renamed] = bytes
        default:
            // A part of the directory as a whole.
            let folder = below(2) == 0 ? "sandbox/" : ""
            let parts = ["lock", "format.json", "journal-", "archive-", "ledger-", "snapshot-"]
            let part = folder.isEmpty ? parts[below(parts.count)] : folder
            for other in names where other.hasPrefix(part) {
                files[other] = below(2) == 0 ? nil : others[other]
            }
        }
    }

    private mutating func describe(_ kind: Int, _ name: String, _ place: Int, _ end: Int) {
        let words = [
            "cut", "bit", "delete", "zeros", "blanks", "garbage", "swap", "shorten", "drop line",
            "double line", "empty", "rename", "exchange", "renumber", "part",
        ]
        description += "\(words[kind]) \(name) at \(place)..<\(end); "
    }

    private mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &generator)
    }

    private mutating func replace(
        _ files: inout [String: [UInt8]], _ name: String, _ range: Range<Int>,
        _ make: (inout SeededGenerator) -> UInt8
    ) {
        for index in range where index < files[name]?.count ?? 0 {
            files[name]?[index] = make(&generator)
        }
    }
}
