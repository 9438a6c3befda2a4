import Foundation
import StrictJSON
import Testing

@Suite(
    "JSONTestSuite",
    .enabled(
        if: SuiteFiles.folder != nil,
        "skipped: JSONTestSuite is not beside the checkout (set PAYQUEUED_TEST_DATA)"))
struct SuiteTests {
    @Test("The suite is complete")
    func complete() {
        #expect(SuiteFiles.names.count == 318)
        #expect(SuiteFiles.mustParse.count == 95)
        #expect(SuiteFiles.mustNotParse.count == 188)
    }

    @Test(
        "What must parse is JSON, and only repeated names are refused",
        arguments: SuiteFiles.mustParse)
    func mustParse(name: String) throws {
        let found = fault(try SuiteFiles.bytes(name))
        let repeats = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]
        #expect(found?.kind == (repeats.contains(name) ? .duplicateName : nil), "\(name)")
    }

    @Test("What must not parse is no JSON", arguments: SuiteFiles.mustNotParse)
    func mustNotParse(name: String) throws {
        let found = fault(try SuiteFiles.bytes(name))
        let deep = ["n_structure_100000_opening_arrays.json", "n_structure_open_array_object.json"]
        if deep.contains(name) {
            #expect(found?.kind == .tooDeep, "\(name)")
        } else {
            #expect(found?.isWellFormed == false, "\(name)")
        }
    }

    @Test("What is left free is decided, each in one way")
    func free() throws {
        var tally: [JSONFault.Kind?: Int] = [:]
        for name in SuiteFiles.free {
            let found = fault(try SuiteFiles.bytes(name))?.kind
            tally[found, default: 0] += 1
            if name.hasPrefix("i_number") { #expect(found == nil, "\(name)") }
            if name.contains("500_nested") { #expect(found == .tooDeep) }
            if name.contains("BOM_empty_object") { #expect(found == .encoding) }
        }
        #expect(tally == [.encoding: 14, .loneSurrogate: 10, .tooDeep: 1, nil: 10])
    }

    @Test("What parses is printed so that it parses to the same", arguments: SuiteFiles.mustParse)
    func roundTrip(name: String) throws {
        guard let value = try? JSONValue(parsing: SuiteFiles.bytes(name)) else { return }
        #expect(try JSONValue(parsing: value.jsonText()) == value)
        #expect(try JSONValue(parsing: value.prettyText()) == value)
    }
}
