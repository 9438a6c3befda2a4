extension Checks {
    /// No source file is longer than 500 lines.
    static func longFiles(_ tree: SourceTree) -> [Finding] {
        tree.files.filter { isCode($0) && $0.lines.count > 500 }.map {
            Finding(path: $0.path, line: 0, message: "\($0.lines.count) lines, the limit is 500")
        }
    }

    /// No function is longer than 70 lines, from its opening to its closing brace.
    static func longFunctions(_ tree: SourceTree) -> [Finding] {
        tree.files.filter(\.isSwift).flatMap { file in
            functions(in: file).filter { $0.length > 70 }.map {
                Finding(
                    path: file.path, line: $0.line,
                    message: "a function of \($0.length) lines, the limit is 70")
            }
        }
    }

    /// The functions of a file: where each opens its brace, and how many lines it has.
    private static func functions(in file: SourceFile) -> [(line: Int, length: Int)] {
        var result: [(line: Int, length: Int)] = []
        var open: [(line: Int, isFunction: Bool)] = []
        var sinceBrace = ""
        for (index, line) in SwiftCode.lines(of: file.text).enumerated() {
            for character in line {
                switch character {
                case "{":
                    open.append((index + 1, sinceBrace.contains(#/\b(?:func|init|subscript)\b/#)))
                    sinceBrace = ""
                case "}":
                    if let last = open.popLast(), last.isFunction {
                        result.append((last.line, index + 2 - last.line))
                    }
                    sinceBrace = ""
                default: sinceBrace.append(character)
                }
            }
            sinceBrace.append("\n")
        }
        return result
    }

    /// Something that code in some places must not contain.
    struct Ban {
        let what: String
        let pattern: Regex<Substring>
        let applies: (SourceFile) -> Bool
    }

    /// Calls that the house forbids, and where. The queue and the engine are told the time, the
    /// identifiers and the random numbers; they never fetch them.
    static var bans: [Ban] {
        let told: Set = ["PaymentCore", "PaymentEngine"]
        let isTold: (SourceFile) -> Bool = { told.contains($0.target ?? "") }
        let isSource: (SourceFile) -> Bool = { $0.target != nil }
        let mayConfigure: Set = [
            "payqueued", "payqueuectl", "payqueue-store", "PaymentClient", "Systemd",
        ]
        return [
            Ban(what: "Date()", pattern: #/\bDate(?:\.now\b|\(\))/#, applies: isTold),
            Ban(what: "UUID()", pattern: #/\bUUID\(\)/#, applies: isTold),
            Ban(what: "Task.sleep", pattern: #/\bTask\s*\.\s*sleep\b/#, applies: isTold),
            Ban(
                what: "a clock",
                pattern: #/\b(?:ContinuousClock|SuspendingClock|clock_gettime|gettimeofday)\b/#,
                applies: isTold),
            Ban(
                what: "SystemRandomNumberGenerator",
                pattern: #/\bSystemRandomNumberGenerator\b/#, applies: isTold),
            Ban(what: ".random(", pattern: #/\.random\(/#, applies: isTold),
            Ban(
                what: "Task.detached", pattern: #/\bTask\s*\.\s*detached\b/#,
                applies: { _ in true }),
            Ban(what: "try!", pattern: #/\btry!/#, applies: isSource),
            Ban(what: "as!", pattern: #/\bas!/#, applies: isSource),
            Ban(what: "fatalError", pattern: #/\bfatalError\b/#, applies: isSource),
            Ban(
                what: "the environment",
                pattern: #/\b(?:getenv\(|processInfo\s*\.\s*environment\b)/#,
                applies: { isSource($0) && !mayConfigure.contains($0.target ?? "") }),
        ]
    }

    /// No file contains what is banned where it lies.
    static func bannedCalls(_ tree: SourceTree) -> [Finding] {
        tree.files.filter(\.isSwift).flatMap { file -> [Finding] in
            let bans = bans.filter { $0.applies(file) }
            return SwiftCode.lines(of: file.text).enumerated().flatMap { index, line in
                bans.filter { line.contains($0.pattern) }.map {
                    Finding(path: file.path, line: index + 1, message: "\($0.what) is banned here")
                }
            }
        }
    }

    /// A promise that the compiler cannot check has its proof in the comment right above it.
    static func unprovenPromises(_ tree: SourceTree) -> [Finding] {
        let promise = #/@unchecked\s+Sendable|nonisolated\(unsafe\)/#
        return tree.files.filter { $0.isSwift && $0.target != nil }.flatMap { file -> [Finding] in
            let lines = file.lines
            return SwiftCode.lines(of: file.text).enumerated()
                .filter { $0.element.contains(promise) && !hasProof(above: $0.offset, in: lines) }
                .map {
                    Finding(
                        path: file.path, line: $0.offset + 1,
                        message: "a promise to the compiler without a comment 'Proof:' above it")
                }
        }
    }

    /// Whether the run of comments and attributes that ends above a line holds a proof.
    private static func hasProof(above index: Int, in lines: [Substring]) -> Bool {
        for line in lines[..<index].reversed() {
            let text = line.drop { $0.isWhitespace }
            guard text.hasPrefix("//") || text.hasPrefix("@") else { return false }
            if text.hasPrefix("//") && text.contains("Proof:") { return true }
        }
        return false
    }

    private static func isCode(_ file: SourceFile) -> Bool {
        [".swift", ".c", ".h", "Makefile"].contains { file.path.hasSuffix($0) }
    }
}
