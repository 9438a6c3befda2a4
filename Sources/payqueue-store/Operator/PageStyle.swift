/// The style sheet and the icon of the operator's pages.
enum PageStyle {
    /// The URL of the style sheet. It changes with the content, so that browsers can cache it.
    static let link = PageLink("/operator.css", [("v", TokenDigest(of: css).description.head(12))])

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" \
        rx="7" fill="#2257c4"/><path d="M8 10h16M8 16h16M8 22h9" stroke="#fff" stroke-width="3" \
        stroke-linecap="round"/></svg>
        """

    static let css = colors + layout + parts + tables + narrow

    private static let colors = """
        :root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1a1f28;--quiet:#566072;
        --line:#dde1e8;--accent:#2257c4;--on-accent:#fff;--soft:#e8effc;--good:#17683a;
        --good-soft:#ddf3e4;--bad:#b3261e;--bad-soft:#fce4e2;--warn:#7a4b00;--warn-soft:#fdeecb;
        --idle-soft:#e9ecf1}
        @media(prefers-color-scheme:dark){:root{--page:#12151b;--card:#1b1f27;--text:#e6e9ef;
        --quiet:#a3adbd;--line:#323947;--accent:#8ab4f8;--on-accent:#10203c;--soft:#22304a;
        --good:#7fd7a0;--good-soft:#173524;--bad:#f6a29b;--bad-soft:#45211f;--warn:#f2c46d;
        --warn-soft:#40310f;--idle-soft:#2a303b}}

        """

    private static let layout = """
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--text);
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
        a{color:var(--accent)}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .skip{position:absolute;left:-99rem}
        .skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.5rem 1rem;z-index:1}
        .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
        white-space:nowrap}
        header{background:var(--card);border-bottom:1px solid var(--line)}
        .bar,nav ul,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
        .bar{display:flex;gap:1rem;align-items:center;justify-content:space-between;
        padding-top:.75rem}
        .brand{font-weight:700;font-size:1.1rem;color:inherit;text-decoration:none}
        nav ul{display:flex;gap:.25rem;list-style:none;overflow-x:auto}
        nav li{flex:none}
        nav a{display:block;padding:.6rem .7rem;text-decoration:none;color:var(--quiet);
        border-bottom:3px solid transparent}
        nav a:hover{color:var(--text)}
        nav a[aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
        main{padding-top:1.25rem;padding-bottom:2rem}
        footer{padding-top:1rem;padding-bottom:2rem;color:var(--quiet);font-size:.9rem;
        display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}
        footer a{padding:.25rem 0}
        h1{font-size:1.5rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
        h2{font-size:1.15rem;margin:0}
        h3{font-size:1.05rem;margin:0}
        ::placeholder{color:var(--quiet);opacity:1}
        .title,.over{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;
        margin-bottom:1rem}
        .over{justify-content:space-between;margin-bottom:.6rem}
        section{margin-top:2rem}
        p{margin:.4rem 0}
        time{white-space:nowrap}
        .quiet{color:var(--quiet)}
        code{font:.9em ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}

        """

    private static let parts = """
        .card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;
        padding:1rem 1.25rem;margin-bottom:1rem}
        .empty{text-align:center;padding:2rem 1rem;color:var(--quiet)}
        input,select,button,.button{font:inherit;color:inherit;min-height:2.5rem;padding:.4rem .8rem;
        border:1px solid var(--quiet);border-radius:.4rem;background:var(--card)}
        button,.button{display:inline-flex;align-items:center;cursor:pointer;font-weight:600;
        text-decoration:none;white-space:nowrap;color:var(--accent);border-color:var(--accent)}
        button:hover,.button:hover{background:var(--soft)}
        .main,button.main{background:var(--accent);color:var(--on-accent)}
        .main:hover,button.main:hover{background:var(--accent);filter:brightness(1.1)}
        .danger,button.danger{color:var(--bad);border-color:var(--bad)}
        .danger:hover,button.danger:hover{background:var(--bad-soft)}
        .main.danger,button.main.danger{background:var(--bad);border-color:var(--bad);
        color:var(--card)}
        .actions{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        .search{display:flex;gap:.5rem;flex:0 1 26rem}
        .search input{flex:1;min-width:0}
        .filters{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}
        .filters label{display:grid;gap:.15rem;font-size:.9rem;color:var(--quiet)}
        .filters label{flex:1 1 8.5rem;max-width:14rem}
        .filters .wide{flex:2 1 12rem;max-width:none}
        .filters input,.filters select{color:var(--text);width:100%}
        .notice{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;background:var(--soft);
        border-left:4px solid var(--accent);border-radius:.4rem;padding:.5rem 1rem;
        margin-bottom:1.25rem}
        .notice.warn{background:var(--warn-soft);border-color:var(--warn)}
        .notice.bad{background:var(--bad-soft);border-color:var(--bad)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem;
        list-style:none;margin:0;padding:0}
        .tiles a{display:block;height:100%;background:var(--card);border:1px solid var(--line);
        border-radius:.6rem;padding:.7rem 1rem;text-decoration:none;color:inherit}
        .tiles a:hover{border-color:var(--accent)}
        .tiles strong{display:block;font-size:1.5rem;line-height:1.3;
        font-variant-numeric:tabular-nums}
        .tiles span{color:var(--quiet);font-size:.9rem}
        .tiles .warn{background:var(--warn-soft);border-color:var(--warn)}
        .tiles .warn span{color:var(--text)}
        .state{display:inline-block;padding:.05rem .6rem;border-radius:1rem;font-size:.85rem;
        font-weight:600;white-space:nowrap;background:var(--idle-soft)}
        .state.good{background:var(--good-soft);color:var(--good)}
        .state.bad{background:var(--bad-soft);color:var(--bad)}
        .state.warn{background:var(--warn-soft);color:var(--warn)}
        .facts{margin:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));
        gap:.75rem 1.5rem}
        .facts dt{color:var(--quiet);font-size:.9rem}
        .facts dd{margin:0;overflow-wrap:anywhere}
        .facts small{color:var(--quiet);font-size:.85rem}
        .timeline{list-style:none;margin:0;padding:0}
        .timeline li{position:relative;padding:0 0 1rem 1.75rem;border-left:2px solid var(--line);
        margin-left:.5rem}
        .timeline li:last-child{border-color:transparent;padding-bottom:0}
        .timeline li::before{content:"";position:absolute;left:-.5rem;top:.4rem;width:.85rem;
        height:.85rem;border-radius:50%;background:var(--quiet);border:2px solid var(--card)}
        .timeline .good::before{background:var(--good)}
        .timeline .bad::before{background:var(--bad)}
        .timeline .warn::before{background:var(--warn)}
        .timeline li>time:first-child{color:var(--quiet);font-size:.9rem;margin-right:.5rem}
        figure{margin:1rem 0 0}
        figure svg{display:block;width:100%;height:2.25rem;background:var(--page);
        border-radius:.3rem}
        .period{fill:var(--good);stroke:var(--card);stroke-width:2}
        .period.introductory{fill:var(--accent)}
        .period.refunded{fill:var(--bad);fill-opacity:.45}
        .period.grace{fill:var(--warn)}
        .period.retry{fill:var(--warn);fill-opacity:.4}
        .now{stroke:var(--text);stroke-width:2;stroke-dasharray:4 3}
        figure svg *{vector-effect:non-scaling-stroke}
        .ends{display:flex;justify-content:space-between;color:var(--quiet);font-size:.85rem}
        figcaption{color:var(--quiet);font-size:.9rem;margin-top:.25rem;display:flex;flex-wrap:wrap;
        gap:.25rem 1rem;justify-content:space-between}
        .keys{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
        figure .key svg{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem}

        """

    private static let tables = """
        table{width:100%;border-collapse:separate;border-spacing:0;background:var(--card);
        border:1px solid var(--line);border-radius:.6rem}
        caption{text-align:left;color:var(--quiet);font-size:.9rem;padding-bottom:.4rem}
        th,td{text-align:left;padding:.55rem .75rem;border-bottom:1px solid var(--line);
        vertical-align:middle;overflow-wrap:anywhere}
        tr:last-child td{border-bottom:0}
        th{font-size:.85rem;color:var(--quiet);font-weight:600;white-space:nowrap}
        .number{text-align:right;font-variant-numeric:tabular-nums}
        td code,.amount,td time{white-space:nowrap;font-variant-numeric:tabular-nums}
        table+table,p+table{margin-top:1.25rem}
        td select{max-width:14rem}
        td input{width:8rem}
        td small{display:block;color:var(--quiet);font-size:.85rem}
        .pages{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem}

        """

    private static let narrow = """
        @media(min-width:46.01rem){td .actions{flex-wrap:nowrap}}
        @media(max-width:46rem){
        .bar,nav ul,main,footer{padding-left:1rem;padding-right:1rem}
        .bar{flex-wrap:wrap;gap:.5rem}.search{flex:1 1 100%}
        nav ul{flex-wrap:wrap;gap:0}nav a{padding:.45rem .6rem}
        .tiles{grid-template-columns:repeat(3,1fr);gap:.5rem}
        .tiles a{padding:.4rem .6rem}.tiles strong{font-size:1.25rem}
        section{margin-top:1.25rem}
        .card{padding:.75rem 1rem}
        .facts{grid-template-columns:repeat(2,1fr);gap:.6rem 1rem}
        .filters{gap:.5rem}.filters label{flex:1 1 40%}.filters .wide{flex:1 1 100%}
        table,tbody,tr,td,caption{display:block;width:100%}
        table{border:0;background:none}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        tr{background:var(--card);border:1px solid var(--line);border-radius:.6rem;
        margin-bottom:.75rem;padding:.5rem .25rem}
        td{border:0;padding:.2rem .75rem;display:grid;grid-template-columns:6.5rem 1fr;gap:.5rem;
        text-align:left}
        td::before{content:attr(data-label);color:var(--quiet);font-size:.85rem}
        td form :is(select,input){flex:1;min-width:0}
        td.number{text-align:left}td:empty{display:none}
        td.wide{display:block}td.wide::before{content:none}
        }
        @media(prefers-reduced-motion:no-preference){a,button{transition:background-color .1s}}

        """
}

extension String {
    /// The first `count` characters.
    func head(_ count: Int) -> String { String(prefix(count)) }
}
