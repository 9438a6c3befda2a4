import PaymentCore
import StrictJSON

extension ParameterShape {
    /// The violation of a value; nil if it is valid. The path is relative to the value.
    func problem(at token: Int, _ tape: JSONTape, in bytes: Span<UInt8>) -> InvalidParameters? {
        switch self {
        case .text(let limit): textProblem(token, tape, in: bytes, limit: limit)
        case .configured(let length): length.standard.problem(at: token, tape, in: bytes)
        case .printable(let limit): printableProblem(token, tape, in: bytes, limit: limit)
        case .word(let words): wordProblem(token, tape, in: bytes, words: words)
        case .flag: kindProblem(token, tape, [.true, .false])
        case .integer(let range): integerProblem(token, tape, in: bytes, range: range)
        case .number(let numbers): numberProblem(token, tape, in: bytes, numbers: numbers)
        case .seconds(let range): secondsProblem(token, tape, in: bytes, range: range)
        case .cursor: cursorProblem(token, tape, in: bytes)
        case .countryOrEmpty:
            countryProblem(token, tape, in: bytes) { $0.isEmpty || $0.utf8.count == 2 }
        case .country: countryProblem(token, tape, in: bytes) { !$0.isEmpty }
        case .list(let element, let count):
            listProblem(token, tape, in: bytes, element: element, count: count)
        case .record(let members): recordProblem(token, tape, in: bytes, members: members)
        case .either(let one, let other):
            eitherProblem(token, tape, in: bytes, one: one, other: other)
        case .nullable(let shape):
            tape.tokens[token].kind == .null
                ? nil : nullableProblem(shape.problem(at: token, tape, in: bytes))
        case .anything(let limit):
            Self.rawCount(token, tape) <= limit ? nil : refusal(.tooLong)
        case .requestID: kindProblem(token, tape, [.string, .number, .null])
        case .parameters: kindProblem(token, tape, [.object, .array])
        }
    }

    /// The length of a decoded string, in bytes.
    static func byteCount(_ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>) -> Int {
        tape.tokens[token].hasEscapes
            ? tape.text(token, in: bytes).utf8.count : rawCount(token, tape) - 2
    }

    private static func rawCount(_ token: Int, _ tape: JSONTape) -> Int {
        Int(tape.tokens[token].end - tape.tokens[token].start)
    }

    private func refusal(_ kind: InvalidParameters.Kind) -> InvalidParameters {
        InvalidParameters(kind, at: "", expected: expectation)
    }

    private func kindProblem(
        _ token: Int, _ tape: JSONTape, _ kinds: [JSONToken.Kind]
    ) -> InvalidParameters? {
        kinds.contains(tape.tokens[token].kind) ? nil : refusal(.wrongType)
    }

    private func textProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, limit: Int?
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .string else { return refusal(.wrongType) }
        // Escapes only lengthen a string, so the raw length decides most checks.
        guard let limit, Self.rawCount(token, tape) - 2 > limit else { return nil }
        return Self.byteCount(token, tape, in: bytes) > limit ? refusal(.tooLong) : nil
    }

    private func printableProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, limit: Int
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .string else { return refusal(.wrongType) }
        let text = tape.text(token, in: bytes)
        guard text.utf8.count <= limit else { return refusal(.tooLong) }
        let isPrintable = !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable ? nil : refusal(.outOfRange)
    }

    private func wordProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, words: [String]
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .string else { return refusal(.wrongType) }
        let word = tape.text(token, in: bytes)
        guard !words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) else { return nil }
        return InvalidParameters(
            .outOfRange, at: "", expected: expectation, given: word, accepted: words)
    }

    private func integerProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, range: ClosedRange<Int64>
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .number else { return refusal(.wrongType) }
        guard let value = tape.integer(token, in: bytes), range.contains(value) else {
            return refusal(.outOfRange)
        }
        return nil
    }

    private func numberProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, numbers: [Int64]
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .number else { return refusal(.wrongType) }
        guard let value = tape.integer(token, in: bytes), numbers.contains(value) else {
            return refusal(.outOfRange)
        }
        return nil
    }

    /// The shapes have different types, so at most one finds more than a wrong type.
    private func eitherProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, one: ParameterShape,
        other: ParameterShape
    ) -> InvalidParameters? {
        guard let first = one.problem(at: token, tape, in: bytes),
            let second = other.problem(at: token, tape, in: bytes)
        else { return nil }
        for problem in [first, second] where problem.kind != .wrongType || !problem.path.isEmpty {
            return problem
        }
        return refusal(.wrongType)
    }

    private func nullableProblem(_ problem: InvalidParameters?) -> InvalidParameters? {
        problem?.kind == .wrongType && problem?.path.isEmpty == true
            ? refusal(.wrongType) : problem
    }

    private func secondsProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, range: ClosedRange<Int64>
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .number else { return refusal(.wrongType) }
        let allowed = Double(range.lowerBound)...Double(range.upperBound)
        guard let value = tape.double(token, in: bytes), allowed.contains(value) else {
            return refusal(.outOfRange)
        }
        return nil
    }

    private func cursorProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>
    ) -> InvalidParameters? {
        switch tape.tokens[token].kind {
        case .number:
            return integerProblem(token, tape, in: bytes, range: 0...Self.largestSequence)
        case .string:
            return wordProblem(token, tape, in: bytes, words: ["start", "now"])
        case .object, .array, .true, .false, .null: return refusal(.wrongType)
        }
    }

    /// The violation of a country code: it is unknown, or its form is not accepted here.
    private func countryProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, accepts: (String) -> Bool
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .string else { return refusal(.wrongType) }
        let text = tape.text(token, in: bytes)
        let isCountry = text.isEmpty || Countries.code(text) != nil
        return isCountry && accepts(text) ? nil : refusal(.outOfRange)
    }

    private func listProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, element: ParameterShape,
        count: ClosedRange<Int>
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .array else { return refusal(.wrongType) }
        guard count.contains(Int(tape.tokens[token].count)) else { return refusal(.outOfRange) }
        var index = 0
        for child in tape.children(of: token) {
            if let problem = element.problem(at: child, tape, in: bytes) {
                return problem.below(String(index))
            }
            index += 1
        }
        return nil
    }

    private func recordProblem(
        _ token: Int, _ tape: JSONTape, in bytes: Span<UInt8>, members: [ParameterSpec]
    ) -> InvalidParameters? {
        guard tape.tokens[token].kind == .object else { return refusal(.wrongType) }
        for child in tape.children(of: token) {
            let isKnown = members.contains { tape.matches(child, $0.name, in: bytes) }
            guard !isKnown else { continue }
            let name = tape.text(child, in: bytes)
            return InvalidParameters(
                .unknownParam, at: InvalidParameters.path("", name), expected: nil, given: name,
                accepted: members.map(\.name.description))
        }
        for member in members {
            guard let value = tape.member(member.name, of: token, in: bytes) else {
                guard member.isRequired else { continue }
                return InvalidParameters(
                    .missingParam, at: InvalidParameters.path("", member.name.description),
                    expected: member.shape.expectation)
            }
            if let problem = member.shape.problem(at: value, tape, in: bytes) {
                return problem.below(member.name.description)
            }
        }
        return nil
    }
}

extension InvalidParameters {
    /// The violation with its path extended by a parent name.
    func below(_ name: String) -> InvalidParameters {
        InvalidParameters(
            kind, at: InvalidParameters.path("", name) + path, expected: expected,
            didYouMean: didYouMean, hint: hint)
    }
}
