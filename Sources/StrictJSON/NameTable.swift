/// A detector of duplicate names in an object. It reuses its memory for each object.
///
/// Names are compared by their decoded bytes: `"a"` and `"\u0061"` are equal, different Unicode
/// normal forms are not. Hashes are seeded per process, so that hostile input cannot provoke
/// collisions.
struct NameTable {
    private struct Slot {
        var hash: Int
        /// The token of the name, or -1 for a free slot.
        var token: Int32
    }

    /// The number of members up to which comparing pairs is faster than hashing.
    private static let pairwiseLimit: Int32 = 8

    private var slots: [Slot] = []

    /// Finds the first name that repeats an earlier one.
    ///
    /// - Parameters:
    ///   - object: The index of an object whose members are complete.
    ///   - tokens: The tokens so far.
    ///   - bytes: The text.
    /// - Returns: The offset of the name's opening quotation mark; nil if all names differ.
    mutating func firstRepeated(
        in object: Int, _ tokens: Span<JSONToken>, _ bytes: Span<UInt8>
    ) -> Int? {
        if tokens[object].count > Self.pairwiseLimit { return hashed(object, tokens, bytes) }
        switch Self.glance(object, tokens, bytes) {
        case .distinct: return nil
        case .unclear: return Self.pairwise(object, tokens, bytes)
        case .escaped: return hashed(object, tokens, bytes)
        }
    }

    private enum Glance {
        /// All names differ.
        case distinct
        /// Some names may be equal.
        case unclear
        /// Some names have escapes and must be decoded; hashing decodes each only once.
        case escaped
    }

    /// A cheap proof for most objects. Names differ if the combination of length and last byte,
    /// reduced to 64 values, differs.
    private static func glance(
        _ object: Int, _ tokens: Span<JSONToken>, _ bytes: Span<UInt8>
    ) -> Glance {
        var glance = Glance.distinct
        var seen: UInt64 = 0
        var name = object + 1
        for _ in 0..<tokens[object].count {
            let token = tokens[name]
            let last = Int(bytes[Int(token.end) - 2])
            let place: UInt64 = 1 << UInt64((Int(token.end - token.start) &* 7 &+ last) & 63)
            if token.hasEscapes { return .escaped }
            if seen & place != 0 { glance = .unclear }
            seen |= place
            name = Int(tokens[name + 1].next)
        }
        return glance
    }

    /// Compares all pairs of names, none of which has escapes.
    private static func pairwise(
        _ object: Int, _ tokens: Span<JSONToken>, _ bytes: Span<UInt8>
    ) -> Int? {
        var name = object + 1
        for later in 0..<tokens[object].count {
            var earlier = object + 1
            for _ in 0..<later {
                if samePlainText(tokens[earlier], tokens[name], bytes) {
                    return Int(tokens[name].start)
                }
                earlier = Int(tokens[earlier + 1].next)
            }
            name = Int(tokens[name + 1].next)
        }
        return nil
    }

    private mutating func hashed(
        _ object: Int, _ tokens: Span<JSONToken>, _ bytes: Span<UInt8>
    ) -> Int? {
        let count = Int(tokens[object].count)
        var size = 32
        while size < count * 2 { size *= 2 }
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(Slot(hash: 0, token: -1), count: size))
        var name = object + 1
        for _ in 0..<count {
            let token = tokens[name]
            let hash = Self.hash(token, bytes)
            var place = hash & (size - 1)
            while slots[place].token >= 0 {
                let other = tokens[Int(slots[place].token)]
                if slots[place].hash == hash, Self.sameText(other, token, bytes) {
                    return Int(token.start)
                }
                place = (place + 1) & (size - 1)
            }
            slots[place] = Slot(hash: hash, token: Int32(truncatingIfNeeded: name))
            name = Int(tokens[name + 1].next)
        }
        return nil
    }

    private static func hash(_ token: JSONToken, _ bytes: Span<UInt8>) -> Int {
        if token.hasEscapes { return hash(decodedText(token, in: bytes).span) }
        return hash(bytes.extracting(token.contentRange))
    }

    private static func hash(_ text: Span<UInt8>) -> Int {
        var hasher = Hasher()
        // SAFETY: the buffer is read inside of the closure only.
        unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private static func sameText(
        _ left: JSONToken, _ right: JSONToken, _ bytes: Span<UInt8>
    ) -> Bool {
        if left.hasEscapes || right.hasEscapes {
            return decodedText(left, in: bytes) == decodedText(right, in: bytes)
        }
        return samePlainText(left, right, bytes)
    }

    private static func samePlainText(
        _ left: JSONToken, _ right: JSONToken, _ bytes: Span<UInt8>
    ) -> Bool {
        guard left.end - left.start == right.end - right.start else { return false }
        var here = Int(left.start)
        var there = Int(right.start)
        while here < Int(left.end) {
            if bytes[here] != bytes[there] { return false }
            here += 1
            there += 1
        }
        return true
    }
}
