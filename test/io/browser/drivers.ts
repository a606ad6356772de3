/** Browser drivers: Playwright for Chromium, WebDriver BiDi for Firefox, WebDriver for WebKitGTK. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import axe from 'axe-core'
import packedChromium from '@sparticuz/chromium'
import {
  chromium,
  type Browser as Chromium,
  type ElementHandle,
  type Page as Tab,
} from 'playwright-core'
import { WebSocket } from 'undici'

/** A reference to an element of the page. */
export type Element = object

/** A function that runs in the page, without access to outer variables. Its first parameter is the element, if any. */
type InPage = (element: any, ...args: any[]) => unknown

/** The browser functions that the tasks use. */
export interface Driver {
  goto: (url: string) => Promise<unknown>
  /** Calls a function in the page; arguments and result are JSON. */
  call: <Result>(code: InPage | string, element?: Element, ...args: unknown[]) => Promise<Result>
  /** Calls a function that returns an element, or nothing. */
  find: (code: InPage, ...args: unknown[]) => Promise<Element | undefined>
  click: (element: Element) => Promise<unknown>
  type: (element: Element, text: string) => Promise<unknown>
  setFile: (element: Element, path: string) => Promise<unknown>
}

/** A browser that this module started. */
export interface Browser extends Driver {
  /** `Firefox 153.7.0` */
  title: string
  close: () => Promise<unknown>
}

/** Switches of Chromium, without software rendering, and with the rules for other origins (CORS). */
export const chromiumArgs: readonly string[] = [
  ...packedChromium.args.filter((one) => !/gl=|angle=|swiftshader|web-security|insecure/.test(one)),
  '--disable-gpu',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
]

export const launchChromium = async (): Promise<Chromium> =>
  chromium.launch({
    executablePath: await packedChromium.executablePath(),
    args: [...chromiumArgs],
  })

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Runs axe on the current page, with all standards or the given rules. */
export async function violations(tab: Tab, runOnly = standards): Promise<string[]> {
  await tab.evaluate(axe.source)
  return tab.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}

/** Drives a Playwright tab. */
export function driveTab(tab: Tab): Driver {
  const own = (element: Element | undefined): ElementHandle => element as ElementHandle
  const expression = (code: InPage | string, args: unknown[]): string =>
    typeof code === 'string' ? code : `(${String(code)})(undefined, ...${JSON.stringify(args)})`
  return {
    goto: (url) => tab.goto(url),
    call: <Result>(code: InPage | string, element?: Element, ...args: unknown[]) =>
      element === undefined
        ? tab.evaluate<Result>(expression(code, args))
        : own(element).evaluate(code as (element: unknown, arg: unknown) => Result, args[0]),
    find: async (code, ...args) =>
      (await tab.evaluateHandle(expression(code, args))).asElement() ?? undefined,
    click: (element) => own(element).click(),
    type: (element, text) => own(element).fill(text),
    setFile: (element, path) => own(element).setInputFiles(path),
  }
}

const settings = {
  'browser.download.folderList': 2,
  'browser.download.useDownloadDir': true,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'remote.prefs.recommended': true,
}

/** Launches a headless Firefox. */
export async function launchFirefox(executable: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'petstore-firefox-'))
  const preferences = Object.entries({ ...settings, 'browser.download.dir': profile })
  const lines = preferences.map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const child = spawn(
    executable,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    {
      env: { ...process.env, HOME: profile },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const ended = new Promise((resolve) => void child.once('exit', resolve))
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('Firefox did not start.')))
    let printed = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(printed) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const waiting = new Map<
    number,
    (reply: { type: string; result: unknown; message: string }) => void
  >()
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as {
      id: number
      type: string
      result: unknown
      message: string
    }
    waiting.get(reply.id)?.(reply)
  })
  let id = 0
  const send = <Result>(method: string, params: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      id += 1
      waiting.set(id, ({ type, result, message }) =>
        type === 'success' ? resolve(result as Result) : reject(new Error(`${method}: ${message}`)),
      )
      socket.send(JSON.stringify({ id, method, params }))
    })
  const { capabilities } = await send<{ capabilities: { browserVersion: string } }>('session.new', {
    capabilities: {},
  })
  const { contexts } = await send<{ contexts: { context: string }[] }>(
    'browsingContext.getTree',
    {},
  )
  const context = contexts[0]?.context ?? ''
  await send('browsingContext.setViewport', { context, viewport: { width: 1440, height: 900 } })

  async function run(functionDeclaration: string, element: Element | undefined, args: unknown[]) {
    const values = [
      element ?? { type: 'undefined' },
      { type: 'string', value: JSON.stringify(args) },
    ]
    const options = {
      awaitPromise: true,
      target: { context },
      arguments: values,
      resultOwnership: 'root',
    }
    type Reply = {
      result: { sharedId?: string; value?: string }
      exceptionDetails?: { text: string }
    }
    const reply = await send<Reply>('script.callFunction', { functionDeclaration, ...options })
    if (reply.exceptionDetails !== undefined) throw new Error(reply.exceptionDetails.text)
    return reply.result
  }
  const act = (type: string, actions: object[]): Promise<unknown> =>
    send('input.performActions', { context, actions: [{ type, id: type, actions }] })
  return {
    title: `Firefox ${capabilities.browserVersion}`,
    goto: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async call<Result>(code: InPage | string, element?: Element, ...args: unknown[]) {
      const text = typeof code === 'string' ? `() => (${code})` : String(code)
      const source = `async (element, json) => JSON.stringify((await (${text})(element, ...JSON.parse(json))) ?? null)`
      return JSON.parse((await run(source, element, args)).value ?? 'null') as Result
    },
    async find(code, ...args) {
      const { sharedId } = await run(
        `(element, json) => (${String(code)})(element, ...JSON.parse(json))`,
        undefined,
        args,
      )
      return sharedId === undefined ? undefined : { sharedId }
    },
    async click(element) {
      const origin = { type: 'element', element }
      const button = { button: 0 }
      await act('pointer', [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', ...button },
        { type: 'pointerUp', ...button },
      ])
    },
    async type(element, text) {
      await run('(element) => (element.focus(), element.select?.())', element, [])
      const keys = text === '' ? ['\uE003'] : [...text]
      const presses = keys.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await act('key', presses)
    },
    setFile: (element, path) => send('input.setFiles', { context, element, files: [path] }),
    async close() {
      await send('browser.close', {}).catch(() => child.kill())
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** Launches WebKitGTK on a virtual screen. */
export async function launchWebKit(miniBrowser: string): Promise<Browser> {
  const display = `:${90 + (process.pid % 900)}`
  const screen = spawn('Xvfb', [display, '-screen', '0', '1440x900x24'], { stdio: 'ignore' })
  const port = String(20_000 + (process.pid % 20_000))
  const child = spawn('WebKitWebDriver', [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display },
    stdio: 'ignore',
  })
  type Reply<Value> = { value: Value & { message?: string } }
  async function send<Value>(path: string, body?: object, method = 'POST'): Promise<Value> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const { value } = (await response.json()) as Reply<Value>
    if (!response.ok) throw new Error(`${path}: ${value.message}`)
    return value
  }
  const capabilities = {
    'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation'] },
  }
  type Session = { sessionId: string; capabilities: { browserVersion: string } }
  let session: Session | undefined
  for (let tries = 0; session === undefined; tries += 1) {
    try {
      session = await send<Session>('/session', { capabilities: { alwaysMatch: capabilities } })
    } catch (error) {
      // The driver, or the screen, may still be starting.
      if (tries === 50) throw error
      await wait(100)
    }
  }
  const base = `/session/${session.sessionId}`
  await send(`${base}/timeouts`, { script: 60_000 })
  await send(`${base}/window/rect`, { width: 1440, height: 900 })
  const run = async <Result>(
    code: InPage | string,
    element: Element | undefined,
    args: unknown[],
    print: string,
  ) => {
    const text = typeof code === 'string' ? `() => (${code})` : String(code)
    const script = `const [element, json, done] = arguments
      Promise.resolve((${text})(element, ...JSON.parse(json))).then((value) => done(${print}), (error) => done({ error: String(error) }))`
    return send<Result>(`${base}/execute/async`, {
      script,
      args: [element ?? null, JSON.stringify(args)],
    })
  }
  const idOf = (element: Element): string => (element as Record<string, string>)[elementKey] ?? ''
  return {
    title: `WebKitGTK ${session.capabilities.browserVersion}`,
    goto: (url) => send(`${base}/url`, { url }),
    async call<Result>(code: InPage | string, element?: Element, ...args: unknown[]) {
      const json = await run<string>(code, element, args, 'JSON.stringify(value ?? null)')
      if (typeof json !== 'string') throw new Error(JSON.stringify(json))
      return JSON.parse(json) as Result
    },
    find: async (code, ...args) =>
      (await run<Element | null>(code, undefined, args, 'value')) ?? undefined,
    click: (element) => send(`${base}/element/${idOf(element)}/click`, {}),
    async type(element, text) {
      await send(`${base}/element/${idOf(element)}/clear`, {})
      await send(`${base}/element/${idOf(element)}/value`, { text })
    },
    setFile: (element, path) => send(`${base}/element/${idOf(element)}/value`, { text: path }),
    async close() {
      await send(base, undefined, 'DELETE').catch(() => undefined)
      child.kill()
      screen.kill()
    },
  }
}
