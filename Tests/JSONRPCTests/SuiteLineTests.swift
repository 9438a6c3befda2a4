import Foundation
import JSONRPC
import StrictJSON
import Testing

@Suite(
    "JSONTestSuite as lines",
    .enabled(
        if: SuiteFiles.folder != nil,
        "skipped: JSONTestSuite is not beside the checkout (set PAYQUEUED_TEST_DATA)"))
struct SuiteLineTests {
    /// A case fits on a line if it has no LF inside; the framing ignores blank ones.
    private func isOneLine(_ bytes: [UInt8]) -> Bool {
        !bytes.dropLast(bytes.last == 0x0A ? 1 : 0).contains(0x0A)
            && !bytes.allSatisfy { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
    }

    /// The two files that no limit of depth lets through; they also break off.
    private let deep: Set = [
        "n_structure_100000_opening_arrays.json", "n_structure_open_array_object.json",
    ]

    /// How a line is answered: with one code, or as a batch.
    private func code(_ bytes: [UInt8]) -> Int? {
        switch Request(bytes, batchLimit: 100).result {
        case .fault(let fault): fault.code
        case .batch, .request: nil
        }
    }

    @Test("A line that is no JSON gets exactly one parse error", arguments: SuiteFiles.mustNotParse)
    func mustNotParse(name: String) throws {
        let bytes = try SuiteFiles.bytes(name)
        #expect(code(bytes) == (deep.contains(name) ? -32600 : -32700) || !isOneLine(bytes))
    }

    @Test("A line that is JSON never gets a parse error", arguments: SuiteFiles.mustParse)
    func mustParse(name: String) throws {
        #expect(code(try SuiteFiles.bytes(name)) != -32700)
    }

    @Test("The number of usable lines is the known one")
    func tally() throws {
        var usable: [Character: Int] = [:]
        for name in SuiteFiles.names where isOneLine(try SuiteFiles.bytes(name)) {
            usable[name.first ?? " ", default: 0] += 1
        }
        #expect(usable == ["y": 93, "n": 183, "i": 35])
    }

    @Test("What is no JSON is none as parameters either", arguments: SuiteFiles.mustNotParse)
    func wrongParameters(name: String) throws {
        let bytes = try SuiteFiles.bytes(name)
        let expected = deep.contains(name) ? -32600 : -32700
        #expect(code(wrapped(bytes)) == expected || !isOneLine(bytes))
    }

    @Test("What is JSON is so as parameters too", arguments: SuiteFiles.mustParse)
    func rightParameters(name: String) throws {
        #expect(code(wrapped(try SuiteFiles.bytes(name))) != -32700)
    }

    private func wrapped(_ bytes: [UInt8]) -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":"#.utf8) + bytes + [0x7D]
    }
}
