/// A request rendered once, in which only ten-digit numbers change from one request to the next.
///
/// Rendering per request would make the driver cost more than the servers it measures.
public struct RequestTemplate: Sendable {
    /// The bytes, the numbers blank.
    public let bytes: [UInt8]
    /// Where the numbers begin.
    let numberOffsets: [Int]
    /// Width of a number. They start at 1,000,000,000, so JSON reads them as numbers too.
    static let digits = 10
    /// The first number handed out.
    public static let firstNumber: UInt64 = 1_000_000_000

    /// Renders a request.
    ///
    /// - Parameter text: The request; each `#` becomes the request's number.
    public init(_ text: String) {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "#") {
                offsets.append(bytes.count)
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Self.digits))
            } else {
                bytes.append(byte)
            }
        }
        self.bytes = bytes
        numberOffsets = offsets
    }

    /// Writes a number into one rendered request.
    func stamp(_ number: UInt64, into request: UnsafeMutableRawBufferPointer) {
        for offset in numberOffsets {
            var rest = number
            for position in stride(from: offset + Self.digits - 1, through: offset, by: -1) {
                request[position] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
    }
}

/// The request that a driver sends to one kind of server, and how a failure looks in its answers.
public struct Workload: Sendable {
    /// The request.
    public let request: RequestTemplate
    /// Bytes that no answer may contain. A line feed before the first answer is taken as read.
    public let forbidden: [[UInt8]]

    /// A durable purchase of its own: unique key of 36 bytes.
    public static let add = add(of: "coins.100")

    /// A durable purchase of a product, with a unique key of 36 bytes.
    public static func add(of product: String, series: String = "purchase") -> Workload {
        Workload(
            request: RequestTemplate(
                #"{"jsonrpc":"2.0","id":#,"method":"add","params":{"product":""# + product
                    + #"","key":"benchmark-"# + series + #"-number-#"}}"# + "\n"),
            forbidden: [Array(#""error":"#.utf8), Array(#""duplicate":true"#.utf8)])
    }

    /// A durable list entry. One of about 300 bytes is as long as the record of an `add`.
    public static func push(bytes: Int) -> Workload {
        Workload(
            request: RequestTemplate(
                "*3\r\n$5\r\nRPUSH\r\n$5\r\nbench\r\n$\(bytes)\r\n#"
                    + String(repeating: "x", count: bytes - RequestTemplate.digits) + "\r\n"),
            forbidden: [Array("\n-".utf8)])
    }
}
