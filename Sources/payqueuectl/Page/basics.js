'use strict'
// What every view uses: building elements, calling the daemon, words for people.
const room = location.pathname
const token = document.querySelector('meta[name=page-token]').content
const readOnly = document.body.dataset.mode === 'read-only'
const $ = selector => document.querySelector(selector)
// What the daemon said last; `roles` and `sandbox` say what this person may do.
const known = { status: null, roles: [], sandbox: false, lost: false }

// Makes an element: h('a.soft', { href }, 'text', other). Texts are never read as HTML.
function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value)
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== '' && child !== false))
  return element
}
const card = (title, ...children) => h('section.card', {}, h('h2', {}, title), ...children)
// Puts new children in place of old ones. What had the focus has it again, if it is still there.
function replace(parent, ...children) {
  const name = e => e.getAttribute('aria-label') ?? e.getAttribute('href') ?? e.textContent
  const old = parent.contains(document.activeElement) && name(document.activeElement)
  parent.replaceChildren(...children.flat().filter(Boolean))
  if (old) [...parent.querySelectorAll('a, button')].find(e => name(e) === old)?.focus({ preventScroll: true })
}
const may = role => !readOnly && known.roles.includes(role)

async function call(method, params) {
  let answer
  try {
    answer = await fetch(room + 'call', {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-page-token': token },
      body: JSON.stringify({ method, params }),
    })
  } catch {
    throw new Error("This page's server has ended. Run payqueuectl page again and open its new address.")
  }
  if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { lost: answer.status === 503 })
  const { result, error } = await answer.json()
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

// Does something that a person asked for, after a question if it destroys, and says how it went.
async function act(button, done, method, params, question) {
  if (question && !(await confirmed(question, button.textContent))) return
  button.disabled = true
  try {
    const result = await call(method, params)
    toast(done)
    await refresh()
    return result
  } catch (error) {
    toast(`Not done: ${error.message}`)
  } finally {
    button.disabled = false
  }
}
function action(label, options, done, method, params, question) {
  return h('button', { type: 'button', ...options, onclick: event => act(event.currentTarget, done, method, params, question) }, label)
}
function confirmed(question, label) {
  const dialog = $('#confirm')
  $('#confirm-text').textContent = question
  $('#confirm-yes').textContent = label
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise(resolve => dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true }))
}
function toast(text) {
  const line = h('p', {}, text)
  $('#toasts').replaceChildren(line)
  setTimeout(() => line.remove(), 8000)
}

// Words and numbers.
const number = new Intl.NumberFormat('en-GB')
const few = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 })
const sentence = text => text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? '' : '.')
const short = id => (id ?? '').slice(0, 8)
const clock = time => new Date(time).toLocaleTimeString('en-GB')
const day = time => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
function span(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`
}
const age = time => span(Date.now() - Date.parse(time))
const price = value => (value ? `${value.amount} ${value.currencyCode}` : '')
const bytes = count => count < 1e3 ? `${count} bytes` : (count < 1e6 ? `${few.format(count / 1e3)} kB` : `${few.format(count / 1e6)} MB`)
const words = name => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
const stateClass = { purchasing: 'busy', purchased: 'good', restored: 'good', failed: 'bad', finished: 'soft' }
const waits = {
  observer: ['an observer', 'A worker has to subscribe: payqueuectl watch --observe, or your own.'],
  login: ['a login', 'Log in: payqueuectl login NAME.'],
  gate: ['an answer', 'The purchase would change country or price. Answer the question.'],
  approval: ['an approval', 'It must be approved at the store.'],
  store: ['the store', 'It was submitted; the store has to answer.'],
}
function stateText(t) {
  if (t.revocation) return 'refunded'
  if (t.completing) return 'completing'
  if (t.finishedAt) return t.removalReason && t.removalReason !== 'finished' ? words(t.removalReason) : 'finished'
  return t.transactionState
}
function why(t) {
  if (t.transactionState === 'failed') return t.failureReason ? words(t.failureReason) : ''
  return t.waitingFor ? `waits for ${(waits[t.waitingFor] ?? [t.waitingFor])[0]}` : ''
}
const pill = t => h('span.pill.' + (t.revocation ? 'bad' : stateClass[t.transactionState] ?? 'soft'), {}, stateText(t))
const productOf = t => t.payment?.product?.productIdentifier ?? '?'
const who = by => (by ? `${by.client ?? 'a client'} (user ${by.uid})` : '')
const facts = pairs => h('dl', {}, pairs.filter(pair => pair[1]).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
