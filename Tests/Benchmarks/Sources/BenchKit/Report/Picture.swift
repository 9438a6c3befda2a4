/// A drawing in SVG with the few shapes that a bar chart needs. Colours follow the reader's scheme.
public struct Picture: Sendable {
    /// The colour of a shape, by its meaning.
    public enum Colour: String, Sendable {
        /// A figure of the daemon, or a goal that is met.
        case own
        /// A figure of the peer.
        case peer
        /// A goal that is missed.
        case missed
        /// Text and lines.
        case ink
    }

    private let width: Int
    private let height: Int
    private var shapes: [String] = []

    /// Creates an empty drawing of this size in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Adds a filled rectangle.
    public mutating func bar(x: Double, y: Double, width: Double, height: Double, _ colour: Colour)
    {
        shapes.append(
            #"<rect class="\#(colour.rawValue)" x="\#(number(x))" y="\#(number(y))" "#
                + #"width="\#(number(max(0, width)))" height="\#(number(height))" rx="2"/>"#)
    }

    /// Adds a thin line.
    public mutating func line(x1: Double, y1: Double, x2: Double, y2: Double) {
        shapes.append(
            #"<line x1="\#(number(x1))" y1="\#(number(y1))" x2="\#(number(x2))" y2="\#(number(y2))"/>"#
        )
    }

    /// Adds text whose baseline begins, or ends, at a point.
    public mutating func text(_ text: String, x: Double, y: Double, isAtEnd: Bool = false) {
        let anchor = isAtEnd ? #" text-anchor="end""# : ""
        shapes.append(
            #"<text x="\#(number(x))" y="\#(number(y))"\#(anchor)>\#(Self.escaped(text))</text>"#)
    }

    /// The file.
    public var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
        width="\(width)" height="\(height)" font-family="sans-serif" font-size="12">
        <style>
        .own { fill: #2f7d4f } .peer { fill: #8a93a0 } .missed { fill: #c4572b }
        text { fill: #1f2328 } line { stroke: #1f2328; stroke-dasharray: 3 3 } .paper { fill: #ffffff }
        @media (prefers-color-scheme: dark) {
        .own { fill: #56b07b } .missed { fill: #e57f55 }
        text { fill: #e6e8eb } line { stroke: #e6e8eb } .paper { fill: #16181c }
        }
        </style>
        <rect class="paper" width="\(width)" height="\(height)"/>
        \(shapes.joined(separator: "\n"))
        </svg>

        """
    }

    /// Text as the content of an element.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    private func number(_ value: Double) -> String { fixed(value, 1) }
}
