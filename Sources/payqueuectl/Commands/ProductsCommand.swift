import ArgumentParser
import PaymentClient
import StrictJSON

/// Lists products and their prices.
struct ProductsCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "List products and their prices.",
        usage: """
            payqueuectl products
            payqueuectl products [<product> ...] [--wide] [--json]
            """)

    @Argument(help: "Only these products.", completion: .products)
    var products: [String] = []

    @OptionGroup var table: TableOptions
    @OptionGroup var options: AnswerOptions

    var action: String {
        products.isEmpty ? "list the products" : "look up \(quoted(products))"
    }

    func run() async throws {
        try options.checkFilter(of: "products")
        let timeout = options.timeout.duration
        let (answer, names) = try await options.withDaemon { daemon in
            let answer = try await daemon.call(
                "products", .parameters([("ids", .texts(products))]), timeout: timeout)
            let isKnown = answer["invalid"]?.arrayValue?.isEmpty != false
            return (answer, isKnown ? [] : try await ProductNames.all(daemon, timeout: timeout))
        }
        options.show(answer) { ProductText.lines($0, width: table.columns) }
        if let unknown = answer["invalid"]?.arrayValue?.first?.stringValue {
            throw ProductNames.failure(action, unknown: unknown, names: names)
        }
    }
}
