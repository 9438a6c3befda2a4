/// Lines of a generated file.
struct GeneratedText {
    private(set) var lines: [String] = []
    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func add(_ lines: String...) { self.lines += lines }
    mutating func add(_ lines: [String]) { self.lines += lines }

    /// A text wrapped at 100 columns, each line behind a prefix.
    static func wrapped(_ text: String, prefix: String, width: Int = 100) -> [String] {
        var lines: [String] = []
        var line = prefix
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > width, line != prefix {
                lines.append(line)
                line = prefix
            }
            line += line == prefix ? word : " " + word
        }
        return line == prefix ? lines : lines + [line]
    }

    /// A call or a list on one line, or one element a line where that is too long.
    static func list(
        _ head: String, _ elements: [String], _ tail: String, indent: String, width: Int = 100
    ) -> [String] {
        let one = head + elements.joined(separator: ", ") + tail
        guard one.count > width else { return [one] }
        let inner = GeneratedText.wrapped(
            elements.joined(separator: ", ") + ",", prefix: indent + "    ", width: width)
        return [head] + inner + [indent + tail]
    }
}
