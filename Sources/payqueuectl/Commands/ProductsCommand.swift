import ArgumentParser
import StrictJSON

/// Lists what is sold.
struct ProductsCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "List what is sold here, and its prices.",
        usage: """
            payqueuectl products
            payqueuectl products [<product> ...] [--json]
            """)

    @Argument(help: "Only these.")
    var products: [String] = []

    @OptionGroup var options: AnswerOptions

    var method: String { "products" }
    var errand: String {
        products.isEmpty ? "list the products" : "look up \(quoted(products))"
    }

    func parameters() -> JSONValue? { .parameters([("ids", .texts(products))]) }

    func lines(_ answer: JSONValue) -> [String] { ProductText.lines(answer) }
}
