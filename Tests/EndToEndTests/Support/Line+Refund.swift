import PaymentTesting

extension Line {
    /// Buys a product, observing, and has the store refund it before anybody finishes it.
    ///
    /// - Returns: The order.
    @discardableResult
    func buyAndRefund(_ product: String, key: String = "refunded") throws -> String {
        try call("subscribe")
        let wanted = #"{"product":"\#(product)","key":"\#(key)"}"#
        let id = try call("add", wanted)["transaction"]?.string ?? ""
        let bought = try call("wait", #"{"transaction":"\#(id)","until":["purchased"]}"#)
        try call("test.refund", #"{"transaction":"\#(id)"}"#)
        let isMarked: Bool? = try eventually(within: 60) {
            let found = try call("transactions", #"{"ids":["\#(id)"]}"#)["transactions"]?[0]
            return found?["revocation"] == nil ? nil : true
        }
        guard isMarked == true else { throw Trouble("the refund of \(id) was never told") }
        return bought["transaction"]?["transactionIdentifier"]?.string ?? ""
    }
}
