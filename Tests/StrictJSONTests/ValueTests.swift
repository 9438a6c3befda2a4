import StrictJSON
import Testing

@Suite("Values as trees")
struct ValueTests {
    @Test("Literals build the tree that parsing gives")
    func literals() throws {
        let built: JSONValue = [
            "a": nil, "b": true, "c": -1, "d": "x", "e": [1, [], [:]], "f": .number("0.10"),
        ]
        let text = #"{"a":null,"b":true,"c":-1,"d":"x","e":[1,[],{}],"f":0.10}"#
        #expect(built.jsonText() == text)
        #expect(try JSONValue(parsing: text) == built)
        #expect(try JSONValue(parsing: Array(text.utf8)) == built)
        #expect("\(built)" == text)
    }

    @Test("Members and elements are reached by name and index")
    func access() throws {
        let value = try JSONValue(parsing: #"{"a":[1,"x",2.5,false,null],"é":{}}"#)
        #expect(value["a"]?[0]?.intValue == 1)
        #expect(value["a"]?[1]?.stringValue == "x")
        #expect(value["a"]?[2]?.doubleValue == 2.5)
        #expect(value["a"]?[2]?.intValue == nil)
        #expect(value["a"]?[2]?.numberText == "2.5")
        #expect(value["a"]?[3]?.boolValue == false)
        #expect(value["a"]?[4]?.isNull == true)
        #expect(value["a"]?[5] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?.arrayValue?.count == 5)
        #expect(value.members?.map(\.name) == ["a", "é"])
        #expect(value["b"] == nil)
        #expect(value["e\u{301}"] == nil, "another spelling is another name")
        #expect(value[0] == nil)
        #expect(JSONValue.number("1e999").doubleValue == nil)
    }

    @Test("Equality is that of the canonical text")
    func equality() {
        #expect(JSONValue.number("1.0") != .number("1"))
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONValue.object([JSONMember(name: "\u{E9}", value: 1)]) != ["e\u{301}": 1])
        #expect((["a": 1, "b": 2] as JSONValue) != ["b": 2, "a": 1])
        #expect(JSONValue.string("1") != .number("1"))
        let set: Set<JSONValue> = ["\u{E9}", "e\u{301}", 1, [1], ["a": 1], nil, true, false]
        #expect(set.count == 8)
    }

    @Test("People get one member a line and two spaces a level")
    func pretty() throws {
        let value: JSONValue = ["a": 1, "b": [], "c": [1, ["x": nil]], "d": [:]]
        let expected = """
            {
              "a": 1,
              "b": [],
              "c": [
                1,
                {
                  "x": null
                }
              ],
              "d": {}
            }
            """
        #expect(value.prettyText() == expected)
        #expect(try JSONValue(parsing: expected) == value)
        #expect(JSONValue.string("x").prettyText() == "\"x\"")
    }

    @Test("Digits become a number only by the grammar of JSON")
    func numbers() {
        for digits in ["0", "-0", "0.99", "1e5", "12345678901234567890.5"] {
            #expect(JSONValue(number: digits)?.jsonText() == digits)
        }
        for digits in ["", "-", "01", "+1", ".5", "1.", "NaN", "1 ", " 1", "1,2", "é", "0x1"] {
            #expect(JSONValue(number: digits) == nil)
        }
        #expect(JSONValue.integer(UInt64.max).jsonText() == "18446744073709551615")
    }

    @Test("A number that is none is never written")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            _ = JSONValue.number("1}").jsonText()
        }
    }

    @Test("A literal that repeats a name is a mistake of ours")
    func literalTrap() async {
        await #expect(processExitsWith: .failure) {
            let value: JSONValue = ["a": 1, "a": 2]
            _ = value.jsonText()
        }
    }
}
