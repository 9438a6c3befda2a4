// Which view is shown, how it stays current, and the keyboard.
const views = { '': ['Queue', overview], list: ['Transactions', list], t: ['Transaction', story], store: ['Sandbox', sandbox] }
let update = null, shownView, source, timer, refreshing

async function route(event) {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?')
  const [name, id] = path.split('/')
  const [title, view] = views[name] ?? views['']
  document.title = `${title} · payqueued`
  for (const link of document.querySelectorAll('nav a')) {
    const here = link.hash === '#/' + (name === 't' ? 'list' : name)
    if (here) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  const main = $('#main'), mine = (shownView = {})
  update = null
  try {
    if (!known.status) await look()
    const made = await view(main, new URLSearchParams(query ?? ''), id && decodeURIComponent(id))
    if (mine !== shownView) return
    update = made
    await refresh()
  } catch (error) {
    trouble(error)
  }
  // A person who goes to a view is taken there, with the keyboard too.
  if (event && mine === shownView && !document.activeElement?.matches('input, select')) main.querySelector('h1')?.focus({ preventScroll: false })
}

// Asks the daemon how it is, and lets the view show it. One at a time.
async function look() {
  const [status, metrics] = await Promise.all([call('status'), call('metrics')])
  if (!known.roles.length) {
    const hello = await call('hello')
    known.roles = hello.roles
    epoch = hello.epoch
    known.sandbox = (hello.features ?? []).includes('test') && hello.roles.includes('admin')
  }
  known.status = status
  sample(status, metrics.text)
  $('#state').textContent = status.state
  $('#state').className = 'pill ' + (status.state === 'running' ? 'good' : 'bad')
  $('#account').textContent = [status.account ?? 'logged out', status.storefront?.countryCode, readOnly && 'read-only'].filter(Boolean).join(' · ')
  $('#to-store').hidden = !known.sandbox
  trouble(null)
}
function refresh(force) {
  refreshing ??= (async () => {
    try {
      await look()
      await update?.(force)
    } catch (error) {
      trouble(error)
    } finally {
      refreshing = null
    }
  })()
  return refreshing
}
function trouble(error) {
  known.lost = Boolean(error)
  const text = error ? sentence(error.message) + (error.lost ? ' Trying again.' : '') : ''
  if (error) {
    $('#state').textContent = error.lost ? 'not connected' : 'problem'
    $('#state').className = 'pill bad'
  }
  // Announced once, not with every try.
  if ($('#alerts').textContent !== text) $('#alerts').replaceChildren(...(text ? [h('p.alert', {}, text)] : []))
}

// Live events. The browser connects again by itself and says up to where it has read.
let place, epoch
function listen() {
  source?.close()
  // The first look begins with the ten newest.
  if (known.status) place ??= Math.max(known.status.log.oldest - 1, known.status.log.head - 10)
  source = new EventSource(`${room}events` + (place === undefined ? '' : `?after=${place}&epoch=${epoch}`))
  source.onmessage = message => {
    place = Number(message.lastEventId)
    keep(JSON.parse(message.data))
    soon()
  }
  source.addEventListener('skipped', message => {
    place = Number(message.lastEventId)
    keep({ skipped: JSON.parse(message.data).records, seq: place })
  })
  for (const name of ['connected', 'restarted', 'lost']) {
    source.addEventListener(name, message => {
      const data = JSON.parse(message.data)
      if (name === 'lost') return trouble(Object.assign(new Error(data.reason), { lost: true }))
      if (name === 'restarted') place = undefined
      if (data.epoch) epoch = data.epoch
      if (data.head !== undefined) place ??= data.head
      known.roles = []
      refresh()
    })
  }
}
function keep(event) {
  feed = [event, ...feed.filter(known => known.seq !== event.seq)].slice(0, 30)
}
// Events come up to ten in a second; the view follows once in half a second.
let due
function soon() {
  due ??= setTimeout(() => { due = null; refresh() }, 500)
}
function wake() {
  clearInterval(timer)
  if (document.hidden) return source?.close()
  listen()
  refresh()
  timer = setInterval(refresh, 2000)
}

$('.skip').addEventListener('click', event => {
  event.preventDefault()
  $('#main').focus()
})
addEventListener('hashchange', route)
document.addEventListener('visibilitychange', wake)
document.addEventListener('keydown', event => {
  const field = event.target.matches('input, select, textarea')
  if (event.ctrlKey || event.metaKey || event.altKey || $('#confirm').open) return
  if (event.key === 'Escape') {
    if (field) return event.target.blur()
    if (location.hash.length > 2) location.hash = location.hash.startsWith('#/t/') ? '#/list' : '#/'
  }
  if (field && !(event.target.id === 'search' && /^(ArrowDown|Enter)$/.test(event.key))) return
  if (event.key === '/') {
    event.preventDefault()
    if (!$('#search')) addEventListener('hashchange', () => setTimeout(() => $('#search')?.focus()), { once: true })
    if (!$('#search')) location.hash = '#/list'
    $('#search')?.focus()
    $('#search')?.select()
  }
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Enter: field ? 1 : 0 }[event.key]
  const rows = [...document.querySelectorAll('a.row, .waits a, .feed a')].filter(row => row.checkVisibility())
  if (!step || !rows.length) return
  event.preventDefault()
  rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(document.activeElement) + step))].focus()
})

route().then(wake)
