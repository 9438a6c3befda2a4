import PaymentCore
import StrictJSON

/// The getters answer nil for a parameter that the call does not carry. What a getter may assume
/// was checked when the arguments were made; a method that asks for another kind than its contract
/// says is a mistake of ours and stops the process.
extension Arguments {
    /// A string that the contract requires.
    func requiredText(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> OpaqueText {
        guard let text = text(parameter, in: bytes) else {
            preconditionFailure("parameter \(parameter) is read as required but its spec is not")
        }
        return text
    }

    /// A string.
    func text(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> OpaqueText? {
        token(parameter).map { OpaqueText(tape.text($0, in: bytes)) }
    }

    /// A word of a list that both sides know.
    func word<Word: RawRepresentable<String>>(
        _ parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> Word? {
        token(parameter).map { known(tape.text($0, in: bytes)) }
    }

    /// True or false.
    func flag(_ parameter: some ParameterPlace) -> Bool? {
        token(parameter).map { tape.tokens[$0].kind == .true }
    }

    /// A whole number.
    func integer(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> Int? {
        guard let token = token(parameter) else { return nil }
        return tape.integer(token, in: bytes).map { Int($0) }
    }

    /// Seconds, rounded to milliseconds.
    func seconds(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> Duration? {
        guard let token = token(parameter) else { return nil }
        return tape.double(token, in: bytes).map { seconds in
            Duration.milliseconds(Int64((seconds * 1000).rounded()))
        }
    }

    /// A place in the event log.
    func cursor(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> Cursor? {
        guard let token = token(parameter) else { return nil }
        if let position = tape.integer(token, in: bytes) { return .after(UInt64(position)) }
        return tape.matches(token, "start", in: bytes) ? .start : .now
    }

    /// An array of strings.
    func texts(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> [OpaqueText]? {
        guard let token = token(parameter) else { return nil }
        var texts: [OpaqueText] = []
        for child in tape.children(of: token) {
            texts.append(OpaqueText(tape.text(child, in: bytes)))
        }
        return texts
    }

    /// An array of words of a list that both sides know.
    func words<Word: RawRepresentable<String>>(
        _ parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> [Word]? {
        texts(parameter, in: bytes)?.map { known($0.string) }
    }

    /// A value as it was written.
    func raw(_ parameter: some ParameterPlace, in bytes: Span<UInt8>) -> [UInt8]? {
        token(parameter).map { tape.rawBytes($0, in: bytes) }
    }

    /// The transaction that the contract requires to be named.
    func transaction(
        _ parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> TransactionReference {
        guard let token = token(parameter) else {
            preconditionFailure("parameter \(parameter) is read as required but its spec is not")
        }
        guard let id: TransactionID = tape.identifier(token, in: bytes) else {
            return .foreign(OpaqueText(tape.text(token, in: bytes)))
        }
        return .id(id)
    }

    private func known<Word: RawRepresentable<String>>(_ text: String) -> Word {
        guard let word = Word(rawValue: text) else {
            preconditionFailure("the contract admits '\(text)', which \(Word.self) does not know")
        }
        return word
    }
}

extension Arguments {
    /// A string inside a structured parameter.
    func memberText(
        _ member: StaticString, of parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> OpaqueText? {
        guard let object = token(parameter),
            let value = tape.member(member, of: object, in: bytes)
        else { return nil }
        return OpaqueText(tape.text(value, in: bytes))
    }

    /// A whole number inside a structured parameter; nil also where the parameter is no object.
    func memberInteger(
        _ member: StaticString, of parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> Int? {
        guard let object = token(parameter),
            let value = tape.member(member, of: object, in: bytes)
        else { return nil }
        return tape.integer(value, in: bytes).map { Int($0) }
    }

    /// The members of a structured parameter whose values are strings or null.
    func nullableTexts(
        _ parameter: some ParameterPlace, in bytes: Span<UInt8>
    ) -> [(name: String, text: String?)]? {
        guard let object = token(parameter) else { return nil }
        var members: [(name: String, text: String?)] = []
        for name in tape.children(of: object) {
            let isText = tape.tokens[name + 1].kind == .string
            members.append(
                (tape.text(name, in: bytes), isText ? tape.text(name + 1, in: bytes) : nil))
        }
        return members
    }
}
