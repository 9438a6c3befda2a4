import PaymentCore

/// The frame of every page of the operator.
struct PageFrame {
    /// The sections of the navigation.
    enum Section: CaseIterable {
        case overview, orders, accounts, subscriptions, settings
    }

    /// The title of the window and the heading.
    let title: String
    let section: Section?
    /// The time of the store's clock; nil if it was not read.
    var now: Timestamp?
    /// The action that was just performed.
    var done: OperatorAction?
    /// The token of the page's forms.
    var token = ""
    /// Content next to the heading.
    var besideTitle: HTML?
    /// Whether it links to the other pages; false for clients without access.
    var leadsOn = true
    let content: HTML

    var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · payqueue-store</title>
        <link rel="stylesheet" href="\(PageStyle.link)">
        <link rel="icon" href="/operator.svg" type="image/svg+xml">
        </head>
        <body>
        <a class="skip" href="#content">Skip to content</a>
        <header>
        <div class="bar">
        <a class="brand" href="/">payqueue-store</a>\(leadsOn ? search : nil)
        </div>\(leadsOn ? navigation : nil)
        </header>
        <main id="content">
        \(notice)<div class="title"><h1>\(title)</h1>\(besideTitle)</div>
        \(content)</main>\(leadsOn ? footer : nil)
        </body>
        </html>

        """
    }

    private var search: HTML {
        """

        <form class="search" role="search" action="/orders">
        <label class="unseen" for="search">Search orders</label>
        <input id="search" type="search" name="q" placeholder="Order, account, product, token" \
        autocomplete="off">
        <button>Search</button>
        </form>
        """
    }

    private var navigation: HTML {
        """

        <nav aria-label="Main"><ul>\(Section.allCases.map { entry($0) })</ul></nav>
        """
    }

    private var footer: HTML {
        """

        <footer>\(clock)<a href="/openapi.json">Store API</a> <a href="/metrics">Metrics</a></footer>
        """
    }

    private func entry(_ entry: Section) -> HTML {
        let current: HTML = entry == section ? " aria-current=\"page\"" : ""
        return "<li><a href=\"\(entry.link)\"\(current)>\(entry.label)</a></li>"
    }

    private var clock: HTML? {
        now.map { "<span>Store clock: \(HTML.time($0)) UTC</span> " }
    }

    private var notice: HTML? {
        guard let done else { return nil }
        let undo: HTML? = done.reverse.map { reverse in
            " <form method=\"post\" action=\"/operate\">\(Self.hidden(reverse, token: token))"
                + "<button>Undo</button></form>"
        }
        let meaning: String? =
            switch done.object {
            case .setting(let setting):
                done.word == .switchOn ? setting.meaning : setting.oppositeMeaning
            case .value(let value, _): value.meaning
            case .order, .subscription, .purchase, .session: nil
            }
        return """
            <div class="notice" role="status"><p>\(meaning ?? done.word.notice)</p>\(undo)</div>

            """
    }

    /// The hidden form fields of an action.
    static func hidden(_ action: OperatorAction, token: String) -> HTML {
        let fields: [HTML] = action.fields.map { field in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        return "<input type=\"hidden\" name=\"token\" value=\"\(token)\">\(fields)"
    }

    /// A link to the confirmation of an action. Its label for screen readers names the subject,
    /// because they may present the link without its row.
    static func button(_ action: OperatorAction, of subject: String) -> HTML {
        let kind: HTML =
            action.word.isDestructive ? " class=\"button danger\"" : " class=\"button\""
        return """
            <a\(kind) href="\(PageLink.confirm(action))">\(action.word.label)\
            <span class="unseen"> \(subject)</span></a>
            """
    }
}

extension PageFrame.Section {
    /// The label in the navigation.
    var label: String {
        switch self {
        case .overview: "Overview"
        case .orders: "Orders"
        case .accounts: "Accounts"
        case .subscriptions: "Subscriptions"
        case .settings: "Settings"
        }
    }

    /// The address of the section.
    var link: PageLink {
        switch self {
        case .overview: .overview
        case .orders: .orders
        case .accounts: .accounts
        case .subscriptions: .subscriptions
        case .settings: .settings
        }
    }
}

extension HTML {
    static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }
}
