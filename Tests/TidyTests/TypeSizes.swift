/// The size of one type: its declaration and its extensions in all files of one target.
struct TypeSize: Equatable {
    /// Instance properties with storage of their own.
    var properties = 0
    /// Lines from the keyword to the closing brace, without those of nested types.
    var lines = 0
    /// Where the type is declared; the first extension for a type of another module.
    var path = ""
    var line = 0
}

/// Reads the declarations of types, their lines and their stored properties out of Swift source.
struct TypeReader {
    /// A brace that is open, with the source directly inside of it.
    private struct Scope {
        /// Qualified name; nil for a function, an accessor or a closure.
        let type: String?
        let isExtension: Bool
        let firstLine: Int
        /// The source of this scope; each inner block is replaced by `{word}`, its first word.
        var text = ""
        var nestedLines = 0
    }

    private(set) var sizes: [String: TypeSize] = [:]
    private var open: [Scope] = []

    /// The types of one target by qualified name. A type nested in another counts by itself.
    static func sizes(of files: [SourceFile]) -> [String: TypeSize] {
        var reader = TypeReader()
        for file in files { reader.read(file) }
        return reader.sizes
    }

    private mutating func read(_ file: SourceFile) {
        open = [Scope(type: nil, isExtension: false, firstLine: 1)]
        for (index, line) in SwiftCode.lines(of: file.text).enumerated() {
            for character in line {
                switch character {
                case "{": begin(at: index + 1)
                case "}": end(at: index + 1, of: file)
                default: open[open.count - 1].text.append(character)
                }
            }
            open[open.count - 1].text.append("\n")
        }
    }

    private mutating func begin(at line: Int) {
        guard let header = Self.declaration(atEndOf: open[open.count - 1].text) else {
            open.append(Scope(type: nil, isExtension: false, firstLine: line))
            return
        }
        let outer = open.last { $0.type != nil }?.type
        open.append(
            Scope(
                type: outer.map { "\($0).\(header.name)" } ?? header.name,
                isExtension: header.isExtension, firstLine: line - header.lines))
    }

    private mutating func end(at line: Int, of file: SourceFile) {
        guard open.count > 1, let scope = open.popLast() else { return }
        let word = scope.text.split { !$0.isLetter }.first ?? ""
        open[open.count - 1].text += "{\(word)}"
        guard let type = scope.type else {
            open[open.count - 1].nestedLines += scope.nestedLines
            return
        }
        let lines = line - scope.firstLine + 1
        open[open.count - 1].nestedLines += lines
        var size = sizes[type, default: TypeSize()]
        if size.path.isEmpty || !scope.isExtension {
            (size.path, size.line) = (file.path, scope.firstLine)
        }
        size.lines += lines - scope.nestedLines
        size.properties += Self.storedProperties(in: scope.text)
        sizes[type] = size
    }

    /// The declaration of a type that opens its brace at the end of the text, with the number of line
    /// feeds inside of it.
    private static func declaration(
        atEndOf text: String
    ) -> (name: String, isExtension: Bool, lines: Int)? {
        let header = #/\b(struct|class|actor|enum|protocol|extension)\s+(`?[A-Z][\w.]*)/#
        let other = #/[{}]|\b(?:func|init|subscript|var|let|case)\b/#
        // Only the lines at the end can belong to a declaration that is open; the text before them can
        // be long.
        let tail = text.suffix(600)
        guard let match = tail.matches(of: header).last,
            !tail[match.range.upperBound...].contains(other)
        else { return nil }
        return (
            String(match.2), match.1 == "extension",
            tail[match.range.lowerBound...].count { $0 == "\n" }
        )
    }

    /// The number of stored instance properties that the source of a type declares. A declaration begins
    /// a line; the lines that continue it are indented deeper, open its brace, or end a literal of several
    /// lines, of which only the quotation marks are left.
    private static func storedProperties(in text: String) -> Int {
        var statements: [(indent: Int, text: String)] = []
        for line in text.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            if let last = statements.last,
                indent > last.indent || line.hasPrefix("\"") || line.dropFirst(indent).first == "{"
            {
                statements[statements.count - 1].text += line
            } else if indent < line.count {
                statements.append((indent, String(line)))
            }
        }
        return statements.map { storedProperties(declaredBy: $0.text) }.reduce(0, +)
    }

    private static func storedProperties(declaredBy statement: String) -> Int {
        let declaration = #/^(?:\s*(?:@\w+|\w+)(?:\([^()]*\))?\s)*?\s*(let|var)\s+(.*)$/#
        guard
            let match = statement.replacing(
                #/(@\w+)(?:\((?:[^()]|\([^()]*\))*\))?/#, with: { $0.1 }
            )
            .wholeMatch(of: declaration),
            !statement.prefix(while: { $0 != ":" && $0 != "=" })
                .contains(#/\b(?:static|class|func|case)\b/#)
        else { return 0 }
        let rest = match.2
        if let block = rest.firstMatch(of: #/\{(\w*)\}/#),
            !rest[..<block.range.lowerBound].contains("="),
            block.1 != "didSet", block.1 != "willSet"
        {
            return 0
        }
        // `let a, b: Int` declares two.
        return rest.prefix { $0 != ":" && $0 != "=" }.split(separator: ",").count
    }
}

extension Checks {
    /// The most that one type has, over all files of its target.
    static let mostProperties = 15
    static let mostLines = 400

    /// The types that may be larger, by target and qualified name, each with its reason.
    static let largeTypes: [String: String] = [
        "PaymentCore.PaymentQueue":
            "one state machine: each event may change any part of the state",
        "PaymentCore.Limits": "a table of limits",
        "PaymentAPI.FamiliarNames": "a table of names, with the kinds of the API that they rename",
        "PaymentStorage.JSONWriter": "a table: how each value is written in the journal",
        "PaymentStorage.LineContent": "a table: how each value is read from the journal",
        "PaymentStorage.LogJudge": "one place decides which bytes count, in four files by topic",
        "PaymentSandbox.SandboxSubscription":
            "the fields of a subscription, as the journal has them",
        "PaymentHistory.InAppPurchase": "the fields of a signed transaction, in its order",
        "payqueued.DaemonConfiguration": "a table of settings",
        "payqueued.ConfigurationKey": "a table of settings, with what the manual says of each",
    ]

    /// No type has more than 15 stored properties or 400 lines, over all files of its target.
    static func largeTypes(
        _ tree: SourceTree, besides exceptions: Set<String>
    ) -> [Finding] {
        let targets = Dictionary(grouping: tree.files.filter { $0.isSwift && $0.target != nil }) {
            $0.target ?? ""
        }
        var unused = exceptions
        var findings: [Finding] = []
        for (target, files) in targets.sorted(by: { $0.key < $1.key }) {
            for (name, size) in TypeReader.sizes(of: files).sorted(by: { $0.key < $1.key })
            where size.properties > mostProperties || size.lines > mostLines {
                if unused.remove("\(target).\(name)") != nil { continue }
                findings.append(
                    Finding(
                        path: size.path, line: size.line,
                        message: """
                            \(target).\(name) has \(size.properties) stored properties and \
                            \(size.lines) lines, the limits are \(mostProperties) and \(mostLines)
                            """))
            }
        }
        return findings
            + unused.sorted().map {
                Finding(
                    path: "Tests/TidyTests/TypeSizes.swift", line: 0,
                    message: "\($0) keeps the limits and needs no exception")
            }
    }
}
