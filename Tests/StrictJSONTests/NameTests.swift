import StrictJSON
import Testing

@Suite("Repeated names")
struct NameTests {
    @Test(
        "A repeated name is found at its second place",
        arguments: [
            (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"a":1,"\u0061":2}"#, 7),
            (#"{"\u0061":1,"a":2}"#, 12), (#"{"\u0061":1,"\u0061":2}"#, 12),
            (#"{"\n":1,"\u000a":2}"#, 8), (#"{"/":1,"\/":2}"#, 7), (#"{"":1,"":2}"#, 6),
            (#"{"é":1,"\u00e9":2}"#, 8), (#"{"😀":1,"\uD83D\uDE00":2}"#, 10),
            (#"[{"x":{"a":[],"a":{}}}]"#, 14), (#"{"a":{"b":1},"a":2}"#, 13),
            (#"{"a":1,"b":2,"b":3,"a":4}"#, 13),
        ])
    func repeated(text: String, offset: Int) {
        #expect(fault(text) == JSONFault(kind: .duplicateName, offset: offset))
    }

    @Test(
        "Names that only look alike are different",
        arguments: [
            #"{"a":1,"A":2}"#, #"{"a":1,"a ":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":2}]"#,
            "{\"\u{E9}\":1,\"e\u{301}\":2}", #"{"a":1,"\u0061\u0301":2}"#, #"{"\\u0061":1,"a":2}"#,
            #"{"ab":1,"ba":2,"aab":3,"bab":4}"#, #"{"a\u0000":1,"a":2}"#,
        ])
    func different(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "A repetition is found wherever the pair stands, in small and large objects",
        arguments: [2, 3, 4, 7, 8, 9, 10, 15, 16, 17, 33, 64])
    func everyPair(count: Int) {
        for escaped in [false, true] {
            for first in 0..<count - 1 {
                for second in first + 1..<count {
                    var names = (0..<count).map { "name\($0)" }
                    names[second] = escaped ? "\\u006eame\(first)" : names[first]
                    let before = names.prefix(second).map { "\"\($0)\":[{}]," }.joined()
                    let text = "{" + names.map { "\"\($0)\":[{}]" }.joined(separator: ",") + "}"
                    #expect(
                        fault(text)
                            == JSONFault(kind: .duplicateName, offset: before.utf8.count + 1))
                }
            }
        }
    }

    @Test("An object of 2,000 distinct names is accepted and one repetition in it found")
    func large() {
        let names = (0..<2000).map { "\"n\($0)\":\($0)" }
        #expect(fault("{" + names.joined(separator: ",") + "}") == nil)
        let repeated = "{" + (names + ["\"n0\":0"]).joined(separator: ",") + "}"
        #expect(fault(repeated)?.kind == .duplicateName)
    }

    @Test("Half of a surrogate pair repeats itself and nothing else")
    func surrogates() {
        #expect(fault(#"{"\uFFFD":1,"\uD800":2}"#) == JSONFault(kind: .loneSurrogate, offset: 13))
        #expect(fault(#"{"\uD800":1,"\uD801":2}"#) == JSONFault(kind: .loneSurrogate, offset: 2))
        #expect(fault(#"{"a":1,"a":2,"\uD800":3,"\uD800":4}"#)?.offset == 7)
    }

    @Test("The earliest of several faults is reported")
    func earliest() {
        #expect(fault(#"{"a":"\uD800","a":1}"#)?.kind == .loneSurrogate)
        #expect(fault(#"{"a":1,"a":"\uD800"}"#)?.kind == .duplicateName)
        #expect(fault(#"{"a":1,"x":{"b":1,"b":2},"a":1}"#)?.offset == 18)
    }

    @Test("A breach of the grammar after a repeated name is what is reported")
    func grammarFirst() {
        #expect(fault(#"{"a":1,"a":2"#)?.kind == .syntax)
        #expect(fault(#"{"a":1,"a":2},"#)?.kind == .syntax)
        #expect(fault(#"["\uD800",]"#)?.kind == .syntax)
        #expect(fault(Array(#"["\uD800",""#.utf8) + [0xFF, 0x22, 0x5D])?.kind == .encoding)
    }
}
