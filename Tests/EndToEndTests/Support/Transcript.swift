import Foundation

/// A golden conversation: what a client types and what it must read, in order. The format is
/// described in `clients/transcripts/README.md`.
struct Transcript {
    /// One line of the file.
    enum Step {
        /// Said about the conversation, for people.
        case comment(String)
        /// Typed by the client; a text is typed as it stands, anything else as JSON.
        case sent(String)
        /// Must come next.
        case received(JSON)
        /// Not recorded yet: as many lines as this come next.
        case unrecorded(Int)
    }

    let file: URL
    var steps: [(step: Step, line: String)]

    init(_ file: URL) throws {
        self.file = file
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        steps = try lines.map { line in (try Self.step(String(line)), String(line)) }
    }

    /// Everything that the client types.
    var typed: String {
        steps.map { if case .sent(let text) = $0.step { text } else { "" } }.joined(separator: "\n")
    }

    private static func step(_ line: String) throws -> Step {
        let value = try JSON(line)
        if let comment = value["#"]?.string { return .comment(comment) }
        if let typed = value[">"] {
            if let raw = typed.string { return .sent(raw) }
            // The member's own text, so that what is typed looks as it does in the file.
            return .sent(String(line.dropFirst(#"{">":"#.count).dropLast()))
        }
        guard let expected = value["<"] else {
            throw Trouble("not a line of a transcript: \(line)")
        }
        return expected.int.map(Step.unrecorded) ?? .received(expected)
    }

    /// All transcripts, in order.
    static func all() throws -> [URL] {
        let folder = Built.root.appending(path: "clients/transcripts")
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "jsonl" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

/// What the placeholders of a transcript stand for, learnt as the conversation goes on.
struct Bindings {
    private var values: [String: JSON] = [:]
    private var names: [[JSON]: String] = [:]

    /// Whether a value is what the transcript expects. A text that begins with `$` stands for any
    /// value, everywhere for the same; `$time` for any time.
    mutating func match(_ expected: JSON, _ actual: JSON) -> Bool {
        switch (expected, actual) {
        case (.string(let text), _) where text.hasPrefix("$"):
            return bind(text, actual)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for (a, b) in zip(left, right) where !match(a, b) { return false }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            for name in left.keys.sorted() {
                guard let a = left[name], let b = right[name], match(a, b) else { return false }
            }
            return true
        default:
            return expected == actual
        }
    }

    /// What is to be typed, the placeholders replaced.
    func filled(_ typed: String) -> String {
        var typed = typed
        for (name, value) in values.sorted(by: { $0.key.count > $1.key.count }) {
            switch value {
            case .string(let text): typed = typed.replacing(name, with: text)
            case .number(let digits): typed = typed.replacing("\"\(name)\"", with: digits)
            default: break
            }
        }
        return typed
    }

    private mutating func bind(_ name: String, _ value: JSON) -> Bool {
        if name == "$time" { return Self.isTime(value.string ?? "") }
        if name == "$any" { return true }
        if let known = values[name] { return known == value }
        values[name] = value
        return true
    }

    static func isTime(_ text: String) -> Bool {
        text.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil
    }
}

extension Bindings {
    /// The line with placeholders for what differs from run to run; used to record transcripts.
    ///
    /// - Parameters:
    ///   - line: What the daemon sent.
    ///   - typed: What the transcript types; its words come back as they are.
    /// - Returns: The line for the transcript.
    mutating func generalised(_ line: String, typed: String) -> String {
        var text = line
        // Texts for people may change at any time and are no part of the contract.
        text.replace(#/"(message|text)":"(?:[^"\\]|\\.)*"/#) { #""\#($0.1)":"$any""# }
        text.replace(#/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/#, with: "\"$time\"")
        let volatile: [(Regex<(Substring, Substring)>, String)] = [
            (#/"(?:transaction|id)":"([^"$]{6,})"/#, "t"),
            (#/"(?:order|original|(?:original)?[tT]ransactionIdentifier)":"([^"$]+)"/#, "o"),
            (#/"epoch":"([^"$]+)"/#, "epoch"),
            (#/"(?:seq|prev|head|last|acked)":(\d+)/#, "n"),
            (#/"uid":(\d+)/#, "uid"),
            (#/"gid":(\d+)/#, "gid"),
        ]
        for (pattern, prefix) in volatile {
            let matches = text.matches(of: pattern).filter { match in
                !match.1.hasPrefix("sf-") && !typed.contains("\"\(match.1)\"")
            }
            let names = matches.map { match in
                let isText = match.0.hasSuffix("\"")
                let value = String(match.1)
                return isText
                    ? name(for: .string(value), prefix)
                    : "\"\(name(for: .number(value), prefix))\""
            }
            for (match, name) in zip(matches, names).reversed() {
                text.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: name)
            }
        }
        return text
    }

    private mutating func name(for value: JSON, _ prefix: String) -> String {
        let meaning = [.string(prefix), value]
        if let known = names[meaning] { return known }
        let count = names.values.count { $0.hasPrefix("$\(prefix)") }
        let name = "$\(prefix)\(count + 1)"
        names[meaning] = name
        values[name] = value
        return name
    }
}
