// Transactions, a page at a time. The daemon searches; one call of many may find nothing yet.
const pageRows = 50
const states = { '': 'all unfinished', settled: 'settled, not finished', purchasing: 'purchasing', purchased: 'purchased',
  restored: 'restored', failed: 'failed', finished: 'finished' }
const option = (value, text, chosen) => h('option', { value, selected: value === chosen }, text)

async function list(main, query) {
  const text = h('input', { id: 'search', type: 'search', value: query.get('q') ?? '', placeholder: 'id, product or account token',
    autocomplete: 'off', spellcheck: 'false', maxlength: 256 })
  const state = h('select', {}, Object.entries(states).map(([value, name]) => option(value, name, query.get('state') ?? '')))
  const waiting = h('select', {}, option('', 'anything', query.get('waiting') ?? ''),
    Object.entries(waits).map(([value, [name]]) => option(value, name, query.get('waiting'))))
  const body = h('tbody')
  const progress = h('p.soft', { role: 'status', id: 'progress' })
  const more = h('button', { type: 'button', hidden: true, onclick: () => look(false) }, 'Show more')
  main.replaceChildren(h('h1', { tabindex: -1 }, 'Transactions'),
    h('div.search', { role: 'search' }, h('label', {}, 'Search', text), h('label', {}, 'State', state), h('label', {}, 'Waits for', waiting)),
    h('section.card', { 'aria-label': 'Found' }, h('table.rows', {}, h('thead', {}, h('tr', {},
      ['Product', 'State', 'Price', 'Age', 'Id', readOnly ? '' : 'Action'].map((name, index) => name ? h(index === 3 ? 'th.number' : 'th', {}, name) : h('td')))), body),
    progress, h('div.actions', {}, more)))

  let run = 0, page, calls = 0
  const row = t => h('tr', { 'data-id': t.id }, h('td', {}, h('a.row', { href: '#/t/' + t.id }, productOf(t)), ' ',
    t.payment?.appAccountToken && h('small', {}, t.payment.appAccountToken)), h('td', {}, pill(t), ' ', h('small', {}, why(t))),
    h('td.price', {}, price(t.charged ?? t.payment?.product?.price)), h('td.number', { title: day(t.createdAt) }, age(t.createdAt)),
    h('td', {}, h('code', {}, short(t.id))), h('td', {}, finishButton(t)))
  // Each run reads on from `page`; a newer one ends it.
  async function look(anew) {
    const mine = ++run
    if (anew) {
      page = undefined
      calls = 0
    }
    more.hidden = true
    let rows = anew ? [] : [...body.children], shown = rows.length
    const goal = shown + pageRows
    try {
      const word = text.value.trim()
      if (anew && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(word)) {
        const { transactions } = await call('transactions', { ids: [word] })
        if (transactions.length) return location.replace('#/t/' + word)
      }
      do {
        const answer = await call('transactions', { limit: goal - shown, page, search: word || undefined,
          states: state.value ? (state.value === 'settled' ? ['purchased', 'restored', 'failed'] : [state.value]) : undefined,
          waitingFor: waiting.value ? [waiting.value] : undefined })
        if (mine !== run) return
        page = answer.next
        calls++
        rows.push(...answer.transactions.filter(t => !(state.value === 'settled' && t.completing)).map(row))
        replace(body, rows)
        shown = rows.length
        progress.textContent = page && shown < goal ? 'Searching …' : ''
      } while (page && shown < goal)
      more.hidden = !page
      progress.textContent = !shown ? (word || state.value || waiting.value ? 'Nothing found.' : 'The queue is empty.')
        : `${number.format(shown)} shown${page ? ', there are more' : ''}. ${state.value === 'finished' ? 'Finished first comes first.' : 'Oldest first.'}`
    } catch (error) {
      if (mine !== run) return
      progress.textContent = error.code === 1203 ? 'The daemon has restarted. Search again.' : error.message
    }
  }
  let typed
  const changed = () => {
    const now = new URLSearchParams(Object.entries({ q: text.value.trim(), state: state.value, waiting: waiting.value }).filter(pair => pair[1]))
    history.replaceState(null, '', '#/list' + (now.size ? '?' + now : ''))
    return look(true)
  }
  text.addEventListener('input', () => { clearTimeout(typed); typed = setTimeout(changed, 200) })
  state.addEventListener('change', changed)
  waiting.addEventListener('change', changed)
  await look(true)
  // A list that one call gives is made anew. Of a longer one, what is shown is renewed where it stands.
  let head = known.status.log.head
  return async () => {
    if (head === known.status.log.head) return
    head = known.status.log.head
    if (!page && calls === 1) return look(true)
    const rows = [...body.children].slice(0, 500)
    if (!rows.length) return
    const { transactions } = await call('transactions', { ids: rows.map(r => r.dataset.id), states: ['purchasing', 'purchased', 'restored', 'failed', 'finished'] })
    const now = new Map(transactions.map(t => [t.id, t]))
    for (const old of rows) {
      const t = now.get(old.dataset.id)
      if (!t || !old.isConnected) continue
      const fresh = row(t)
      if (fresh.textContent === old.textContent) continue
      replace(old, [...fresh.children])
    }
  }
}

function finishButton(t) {
  if (!may('buy') || t.finishedAt || t.completing || t.transactionState === 'purchasing') return null
  const delivered = ['purchased', 'restored'].includes(t.transactionState) && !t.revocation
  return action('Finish', { 'aria-label': `Finish ${productOf(t)} ${short(t.id)}` }, 'Finished.', 'finish', { transaction: t.id },
    delivered ? `Finish ${productOf(t)}? Do this only when the goods are delivered: the transaction leaves the queue and no worker sees it again.` : '')
}
