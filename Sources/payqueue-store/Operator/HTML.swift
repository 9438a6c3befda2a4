import PaymentCore

/// HTML markup. Interpolated values are escaped unless they are markup, so that foreign text can
/// never become a tag or end its attribute.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The markup as it is sent.
    let text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// The interpolation of text and markup.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { HTML.append(value, to: &text) }

        mutating func appendInterpolation(_ value: OpaqueText) {
            HTML.append(value.string, to: &text)
        }

        mutating func appendInterpolation(_ number: Int) { text += String(number) }

        mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        mutating func appendInterpolation(_ markup: HTML?) { text += markup?.text ?? "" }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        mutating func appendInterpolation(_ link: PageLink) { HTML.append(link.text, to: &text) }
    }

    /// Appends text, escaped for use between tags and in quoted attributes.
    private static func append(_ value: String, to text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(isHidden(scalar) ? "\u{FFFD}" : scalar)
            }
        }
    }

    /// Whether a character is invisible, or changes the writing direction.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200B, 0x200E...0x200F, 0x202A...0x202E, 0x2060,
            0x2066...0x2069, 0xFEFF:
            true
        default: false
        }
    }
}

extension HTML {
    /// A time in UTC, without seconds.
    static func time(_ moment: Timestamp) -> HTML {
        let text = moment.description
        return """
            <time datetime="\(text)" title="\(text)">\
            \(String(text.prefix(10))) \(String(text.dropFirst(11).prefix(5)))</time>
            """
    }

    /// The date of a time in UTC.
    static func day(_ moment: Timestamp) -> HTML {
        let text = moment.description
        return "<time datetime=\"\(text)\">\(String(text.prefix(10)))</time>"
    }

    /// An amount with its currency.
    static func price(_ price: Price) -> HTML {
        "<span class=\"amount\">\(price.amount.text) \(price.currencyCode)</span>"
    }

    /// A list of names and values.
    static func facts(_ facts: [(name: String, value: HTML)]) -> HTML {
        let rows: [HTML] = facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>\n" }
        return "<dl class=\"facts\">\n\(rows)</dl>\n"
    }
}

extension Timestamp {
    /// The age at a time, in one unit.
    func age(at now: Timestamp) -> String {
        let seconds = max(0, now.milliseconds - milliseconds) / 1000
        return switch seconds {
        case ..<60: "under 1 min"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
