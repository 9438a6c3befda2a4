import PaymentCore
import StrictJSON

extension JSONTape {
    /// The token indexes of an array's elements or an object's names.
    func children(of token: Int) -> Children {
        Children(tape: self, position: token + 1, end: Int(tokens[token].next))
    }

    /// A sequence of an array's elements or an object's names.
    struct Children: Sequence, IteratorProtocol {
        private let tape: JSONTape
        private var position: Int
        private let end: Int
        private let isObject: Bool

        init(tape: JSONTape, position: Int, end: Int) {
            self.tape = tape
            self.position = position
            self.end = end
            isObject = tape.tokens[position - 1].kind == .object
        }

        mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = Int(tape.tokens[isObject ? position + 1 : position].next) }
            return position
        }
    }

    /// The bytes of a value as written.
    func rawBytes(_ token: Int, in bytes: Span<UInt8>) -> [UInt8] {
        let range = Int(tokens[token].start)..<Int(tokens[token].end)
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for position in range { copy.append(bytes[position]) }
        return copy
    }

    /// The nearest finite binary number; nil if there is none.
    func double(_ token: Int, in bytes: Span<UInt8>) -> Double? {
        guard tokens[token].kind == .number,
            let value = Double(String(decoding: rawBytes(token, in: bytes), as: UTF8.self)),
            value.isFinite
        else { return nil }
        return value
    }

    /// Parses an identifier without creating a string; nil if it has another form.
    func identifier<ID: TypedIdentifier>(_ token: Int, in bytes: Span<UInt8>) -> ID? {
        if tokens[token].hasEscapes { return ID(text(token, in: bytes)) }
        return UniqueID(utf8: bytes.extracting(tokens[token].contentRange)).map { ID($0) }
    }
}
