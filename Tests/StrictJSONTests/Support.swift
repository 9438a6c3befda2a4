import StrictJSON

/// What a scan says about a text: nothing, or what is wrong and where.
func fault(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONFault? {
    var tape = JSONTape(limits: limits)
    do {
        try tape.scan(bytes.span)
        return nil
    } catch {
        return error
    }
}

/// The same for a text.
func fault(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONFault? {
    fault(Array(text.utf8), limits: limits)
}

/// A small reproducible source of randomness (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A tape together with its text, because a span cannot be named inside of an expectation.
struct Scanned {
    let bytes: [UInt8]
    var tape: JSONTape

    init(_ text: String, limits: JSONLimits = JSONLimits()) throws {
        let bytes = Array(text.utf8)
        var tape = JSONTape(limits: limits)
        try tape.scan(bytes.span)
        self.bytes = bytes
        self.tape = tape
    }

    /// Scans another text with a tape that is kept, and tells what is wrong with it.
    static func rescan(_ tape: inout JSONTape, _ text: String) -> JSONFault? {
        do {
            try tape.scan(Array(text.utf8).span)
            return nil
        } catch {
            return error
        }
    }

    func member(_ name: StaticString, of object: Int) -> Int? {
        tape.member(name, of: object, in: bytes.span)
    }

    func matches(_ index: Int, _ literal: StaticString) -> Bool {
        tape.matches(index, literal, in: bytes.span)
    }

    func integer(_ index: Int) -> Int64? {
        tape.integer(index, in: bytes.span)
    }

    func text(_ index: Int) -> String {
        tape.text(index, in: bytes.span)
    }

    func textBytes(_ index: Int) -> [UInt8] {
        tape.textBytes(index, in: bytes.span)
    }

    func value(_ index: Int) -> JSONValue {
        tape.value(index, in: bytes.span)
    }

    /// The token as it is written in the text.
    func written(_ index: Int) -> String {
        String(decoding: bytes[tape.tokens[index].range], as: UTF8.self)
    }
}
