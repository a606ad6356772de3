/** The box of the home page: the mock in the page, with the fetch adapter of the package. Nothing is loaded before a click. */
const baseUrl = 'https://api.example.com/v1'
const failing = { reply: { status: 503 }, times: 1 }

/** Each button: its label, the request, and what happens to the mock before it. */
const actions = [
  { label: 'List pets', target: '/pets?limit=2' },
  {
    label: 'Create one with a mistake',
    target: '/pets',
    init: { method: 'POST', body: '{"name":"Rex"}' },
  },
  { label: 'Fail the next request', target: '/pets?limit=2', rule: failing },
]

let loading
const load = () =>
  (loading ??= Promise.all([
    import('../../../dist/mock/adapters/fetch.js'),
    import('../../../dist/spec/requirements.js'),
  ]).then(([{ createFetch, defaultKey }, { requirements }]) => ({
    fetch: createFetch({ pets: 30 }, { baseUrl }),
    headers: { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' },
    requirements,
  })))

/** Sends the request of a button, and shows what came back and why. */
async function run({ target, init, rule }, result) {
  const { fetch, headers, requirements } = await load()
  if (rule !== undefined) fetch.mock.use(rule)
  const response = await fetch(baseUrl + target, { ...init, headers })
  const text = JSON.stringify(await response.json(), null, 2)
  const { method = 'GET', body = '' } = init ?? {}
  const entry = fetch.mock.journal.last()
  const { reason, rule: used } = entry
  // What looks for mistakes is loaded for the first one.
  const [{ issues }] = response.ok || used ? [{ issues: [] }] : await fetch.mock.inspect([entry])
  const { quote } = requirements.find(({ id }) => id === reason)
  const why =
    used === undefined
      ? [element('blockquote', quote.replaceAll('`', ''))]
      : [
          element('p', `${used} replaced the response:`),
          element('pre', `mock.use(${source(rule)})`),
        ]
  result.replaceChildren(
    part('Request', element('pre', `${method} /v1${target}${body && `\n\n${body}`}`)),
    part(`Response ${response.status}`, element('pre', text)),
    part(
      'Why this response?',
      ...why,
      ...issues.map(({ fix }) => element('p', `Fix: ${fix.replaceAll('`', '')}`)),
    ),
  )
}

const source = (rule) =>
  JSON.stringify(rule).replaceAll('"', '').replaceAll(/[:,{]/g, '$& ').replaceAll('}', ' }')

function element(name, ...content) {
  const made = document.createElement(name)
  made.append(...content)
  return made
}

const part = (title, ...content) => element('div', element('strong', title), ...content)

/** Fills the box of the page, if it has one. */
export function tryMock() {
  const box = document.querySelector('.try:empty')
  if (box === null) return
  const result = element('div')
  result.className = 'try-result'
  result.setAttribute('role', 'status')
  const buttons = actions.map((action) => {
    const button = element('button', action.label)
    button.type = 'button'
    button.addEventListener('click', () => void run(action, result))
    return button
  })
  box.append(
    element('p', 'Try it: the mock runs in this page, without a server.'),
    ...buttons,
    result,
  )
}
