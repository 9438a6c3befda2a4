import Testing

/// The reader of types finds what a planted source declares, and nothing that looks like it.
@Suite("The sizes of types are read from the source")
struct TypeSizesTests {
    private func sizes(_ files: String...) -> [String: TypeSize] {
        TypeReader.sizes(
            of: files.enumerated().map {
                SourceFile(path: "Sources/Core/\($0.offset).swift", text: $0.element)
            })
    }

    @Test(
        "A property with storage counts, a computed one does not",
        arguments: [
            ("let a: Int", 1), ("var a = 1", 1),
            ("public internal(set) var a: [Int: Int] = [:]", 1),
            ("let a, b: Int", 2), ("var a: Int { didSet { b() } }", 1),
            ("private lazy var a = c()", 1),
            ("@Option(help: Help(\"a\", name: \"b\"))\n    var a: Int?", 1),
            ("@OptionGroup var a: Options", 1), ("var a: Int = { 1 }()", 1),
            ("let a = b { let c = 1; return c }", 1),
            ("let text = \"\"\"\n        var a = 1\n        \"\"\"\n    var b = 1", 2),
            ("nonisolated(unsafe) var a: (Int) -> Int", 1), ("weak var a: Core?", 1),
            ("var a: Int { 1 }", 0), ("var a: Int {\n        get { 1 }\n        set {}\n    }", 0),
            ("var a:\n        [String: Int]\n    { [:] }", 0), ("static let a = 1", 0),
            ("static var a: Int { 1 }", 0), ("class var a: Int { 1 }", 0),
            ("func a() {\n        let b = 1\n        var c = 2\n    }", 0),
            ("init(a: Int) { let b = a }", 0), ("case a(let: Int)", 0),
            ("// var a = 1\n    /* let b = 2 */", 0), ("let a: Int\n\n    let b: Int", 2),
        ])
    func properties(_ body: String, _ count: Int) {
        let found = sizes("struct A {\n    \(body)\n}")["A"]
        #expect(found?.properties == count, "\(body)")
    }

    @Test("Extensions in other files add their lines, and nested types count by themselves")
    func lines() {
        let found = sizes(
            """
            import Core
            /// Comments above do not count.
            public final class A<T: B>: C
            where T: D {
                let a: Int
                /// One state.
                enum State {
                    case open
                }
                struct Inner { let b: Int }
                func f() {
                    struct Local {
                        let c: Int
                    }
                }
            }
            """,
            """
            extension A.State {
                var isOpen: Bool { true }
            }
            extension A where T == Int {
                struct Inner2 {
                    var d: Int
                }
            }
            private func free() { if true {} }
            """)
        #expect(
            found.mapValues(\.lines) == [
                "A": 14 - 3 - 1 - 3 + 5 - 3, "A.State": 3 + 3, "A.Inner": 1, "A.Local": 3,
                "A.Inner2": 3,
            ])
        #expect(
            found.mapValues(\.properties) == [
                "A": 1, "A.State": 0, "A.Inner": 1, "A.Local": 1, "A.Inner2": 1,
            ])
        #expect(found["A"]?.line == 3)
    }

    @Test(
        "A type is refused from 16 properties and from 401 lines on, by target, unless it is named")
    func limits() {
        func tree(properties: Int, lines: Int) -> SourceTree {
            let lets = (0..<properties).map { "    let a\($0): Int\n" }.joined()
            let rest = String(repeating: "\n", count: lines - properties - 2)
            return SourceTree([
                "Sources/Core/A.swift": "struct A {\n\(lets)}",
                "Sources/Core/B.swift": "extension A {\(rest)}",
                "Sources/Server/A.swift": "extension A {\n\n}",
                "Tests/A.swift": "struct A {\n\(lets)    let z: Int\n}",
            ])
        }
        #expect(Checks.largeTypes(tree(properties: 15, lines: 399), besides: []).isEmpty)
        #expect(Checks.largeTypes(tree(properties: 16, lines: 50), besides: []).count == 1)
        #expect(Checks.largeTypes(tree(properties: 1, lines: 500), besides: []).count == 1)
        #expect(Checks.largeTypes(tree(properties: 16, lines: 50), besides: ["Core.A"]).isEmpty)
        let unused = Checks.largeTypes(tree(properties: 1, lines: 50), besides: ["Core.A"])
        #expect(unused.map(\.message) == ["Core.A keeps the limits and needs no exception"])
    }
}
