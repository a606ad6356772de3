/** Tasks of console users, driven only by roles, names and texts, in any browser. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { printJson } from '../../../src/json.ts'
import type * as Kit from '../../../src/mock/index.ts'
import type { Driver, Element } from './drivers.ts'

export interface Desk {
  kit: Pick<typeof Kit, 'defaultKey' | 'sandboxKey'>
  mock: Kit.RunningMock
  page: ConsolePage
  /** Folder for files to load. */
  folder: string
}

const umd = createRequire(import.meta.url).resolve(
  '@testing-library/dom/dist/@testing-library/dom.umd.min.js',
)
const library = readFileSync(umd, 'utf8').replace(/;\s*\/\/# sourceMappingURL.*\s*$/, '')
const shown = 'document.body.innerText'
const patienceMs = 300_000

declare const TestingLibraryDom: any, document: any

/** In the page: the n-th element with this role and name; a name between slashes is a pattern. */
function byRole(_element: unknown, role: string, name: string, nth: number) {
  const [, pattern] = /^\/(.*)\/$/.exec(name) ?? []
  const options = { name: pattern === undefined ? name : new RegExp(pattern) }
  const found = TestingLibraryDom.queryAllByRole(document.body, role, options)[nth]
  found?.scrollIntoView({ block: 'center' })
  return found
}

/** In the page: the first element whose own text contains this text. */
function byText(_element: unknown, text: string) {
  const [found] = TestingLibraryDom.queryAllByText(document.body, text, {
    exact: false,
    ignore: 'script, style',
  })
  found?.scrollIntoView({ block: 'center' })
  return found
}

function byLabel(_element: unknown, label: string) {
  return TestingLibraryDom.queryByLabelText(document.body, label, { selector: 'input' })
}

/** In the page: selects an option of a list. */
function choose(element: typeof document, option: string): void {
  const { value } = [...element.options].find(
    ({ value, label }) => value === option || label === option,
  )
  element.value = value
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
}

/** The console in a browser. */
export class ConsolePage {
  readonly #driver: Driver
  readonly #url: string

  constructor(driver: Driver, url: string) {
    this.#driver = driver
    this.#url = url
  }

  async open(hash: string): Promise<void> {
    await this.#driver.goto(`${this.#url}#/${hash}`)
    // WebDriver blocks while a page shows a confirmation.
    await this.#driver.call(
      `(globalThis.confirm = () => true) && !globalThis.TestingLibraryDom && (${library})`,
    )
  }

  async click(role: string, name: string, nth = 0): Promise<void> {
    await this.#driver.click(await this.#find(`the ${role} ${name}`, byRole, role, name, nth))
  }

  async press(text: string): Promise<void> {
    await this.#driver.click(await this.#find(`the text ${text}`, byText, text))
  }

  async fill(role: string, name: string, text: string): Promise<void> {
    await this.#driver.type(await this.#find(`the ${role} ${name}`, byRole, role, name, 0), text)
  }

  async choose(name: string, option: string): Promise<void> {
    await this.#driver.call(
      choose,
      await this.#find(`the list ${name}`, byRole, 'combobox', name, 0),
      option,
    )
  }

  async load(label: string, path: string): Promise<void> {
    await this.#driver.setFile(await this.#find(`the field ${label}`, byLabel, label), path)
  }

  see = (text: string): Promise<unknown> =>
    this.#until(`the text ${JSON.stringify(text)}`, async () =>
      (await this.#driver.call<string>(shown)).replaceAll(/\s+/g, ' ').includes(text),
    )

  readonly #find = (
    what: string,
    code: Parameters<Driver['find']>[0],
    ...args: unknown[]
  ): Promise<Element> => this.#until(what, () => this.#driver.find(code, ...args))

  async #until<Found>(
    what: string,
    look: () => Promise<Found | undefined | false>,
  ): Promise<Found> {
    const end = Date.now() + patienceMs
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      if (Date.now() > end)
        throw new Error(
          `The page does not show ${what}, but ${await this.#driver.call<string>(shown)}`,
        )
      await wait(50)
    }
  }
}

/** Sends a request to the service. */
const request = ({ mock, kit }: Desk, path: string, key = kit.defaultKey): Promise<Response> =>
  fetch(mock.url + path, { headers: { authorization: `Bearer ${key}` } })

function fileOf({ folder }: Desk, name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, printJson(content as object))
  return path
}

/** Each begins with a mock of 30 pets after a reset. */
export const tasks: Readonly<Record<string, (desk: Desk) => Promise<void>>> = {
  async 'send first requests without a terminal, and one of them again'(desk) {
    const { page, mock } = desk
    await page.open('requests')
    await page.click('link', 'Send a request', 1)
    await page.click('button', 'Send')
    await page.see('#1: why this response?')
    await page.see('200 GET /v1/pets?limit=3')
    await page.click('button', 'createPet')
    await page.fill(
      'textbox',
      'Body',
      '{"name":"Käthe","categoryId":9007199254740993,"status":"sold"}',
    )
    await page.click('button', 'Send')
    await page.see('"categoryId": 9007199254740993')
    assert.equal(mock.catalog.export().at(-1)?.categoryId, 9007199254740993n)
    await page.click('link', '#2: why this response?')
    await page.see('What it changed')
    await page.click('link', 'Edit and send')
    await page.fill('textbox', 'Body', '{"name":1}')
    await page.click('button', 'Send')
    await page.see('400 POST /v1/pets')
    await page.click('link', '#3: why this response?')
    mock.use({ reply: { status: 503 }, times: 1 })
    await page.click('button', 'Send again')
    await page.see('#4 compared with #3')
    await page.see('- 400 + 503')
  },

  async 'find why a request got 400, and choose otherwise'(desk) {
    const { page } = desk
    await page.open('requests')
    await page.see('No requests yet')
    await request(desk, '/pets?limit=0')
    await page.click('link', 'GET /v1/pets?limit=0')
    await page.see('A request with a limit outside 1 to 100')
    await page.press('What happens with a limit below 1?')
    await page.click('button', 'Switch to clamp')
    await page.see('Applies from the next request on.')
    assert.equal((await request(desk, '/pets?limit=0')).status, 200)
  },

  async 'make the next list fail twice, by a rule from a request'(desk) {
    const { page } = desk
    await request(desk, '/pets?limit=2')
    await page.open('requests')
    await page.click('link', 'GET /v1/pets?limit=2')
    await page.click('link', 'Make a rule')
    await page.fill('spinbutton', 'Number of requests', '2')
    await page.click('button', 'Add the rule')
    await page.see('The rule applies from the next request on.')
    const statuses = []
    for (const _ of [1, 2, 3]) statuses.push((await request(desk, '/pets?limit=2')).status)
    assert.deepEqual(statuses, [503, 503, 200])
    await page.see('used 2 times, 0 left')
    await page.click('button', 'Remove rule-1')
    await page.see('No rules: every response is normal')
  },

  async 'see what is left after the removal of getPet'(desk) {
    const { page } = desk
    await page.open('time')
    await page.see('getPet works until 5 December 2030')
    await page.click('button', 'The removal of getPet')
    await page.see('getPet was removed on 5 December 2030')
    assert.notEqual((await request(desk, '/pets/1')).status, 200)
    await page.click('button', 'Reset the clock')
    await page.see('getPet works until 5 December 2030')
    assert.equal((await request(desk, '/pets/1')).status, 200)
  },

  async 'mimic staging from its report'(desk) {
    const { page, mock } = desk
    const profile = { 'list.order': 'by-name', 'list.limit.below-minimum': 'unknown' }
    await page.open('behavior')
    await page.load('Load a profile or report', fileOf(desk, 'staging.json', { profile }))
    await page.see('the mock behaves according to staging.json')
    assert.equal(mock.settings.profile['list.order'], 'by-name')
    await page.see('Show only changed (1)')
  },

  async "find a client's worst mistake"(desk) {
    const { page } = desk
    for (const _ of [1, 2]) await request(desk, '/pets?limit=500')
    await page.open('scorecard')
    await page.press('with a limit outside 1 to 100')
    await page.see('Request 1 to 100 pets.')
    await page.click('link', '/^#\\d+$/')
    await page.see('A request with a limit outside 1 to 100')
  },

  async 'compare two requests'(desk) {
    const { page, mock } = desk
    await request(desk, '/pets?limit=2')
    await page.open('requests')
    await page.click('link', 'GET /v1/pets?limit=2')
    mock.catalog.delete(30)
    await page.click('button', 'Send again')
    await page.see('Sent it again.')
    await page.see('"id": 28')
    await page.see('No difference.')
  },

  async 'work as the sandbox of a partner'(desk) {
    const { page, kit } = desk
    await page.open('sandboxes')
    await page.fill('textbox', 'Name of a new sandbox', 'partner')
    await page.click('button', 'Create a sandbox')
    await page.click('button', 'Open partner')
    await page.see('No requests yet')
    await page.see(kit.sandboxKey('partner'))
    await request(desk, '/pets?limit=3', kit.sandboxKey('partner'))
    await request(desk, '/pets?limit=4')
    await page.see('GET /v1/pets?limit=3')
    await page.see('1 request')
    await page.click('link', 'Sandboxes')
    await page.see('Leave')
    await page.click('button', 'Delete partner')
    await page.see('There are no sandboxes yet')
  },

  async 'import 1,000 pets, and come back to a snapshot'(desk) {
    const { page } = desk
    await page.open('pets')
    await page.click('button', 'Snapshots')
    await page.fill('textbox', 'Name of the snapshot', 'few')
    await page.click('button', 'Save a snapshot')
    await page.see('few')
    await page.click('button', 'Close')
    const pets = Array.from({ length: 1_000 }, (_, index) => ({
      id: index + 1,
      name: `Pet ${index}`,
      categoryId: 1,
    }))
    await page.load('Import', fileOf(desk, 'many.json', pets))
    await page.see('1000 pets, page 1 of 20')
    await page.click('button', 'Snapshots')
    await page.click('button', 'Restore few')
    await page.see('30 pets')
    await page.click('button', 'Undo')
    await page.see('1000 pets, page 1 of 20')
    await page.click('button', 'Delete few')
    await page.see('Deleted few.')
  },

  async 'break limit on purpose, and see the suite find it'(desk) {
    const { page, mock } = desk
    await page.open('defects?search=minimum-unlimited')
    await page.click('checkbox', '/^list.minimum-unlimited /')
    await page.see('Defect list.minimum-unlimited')
    assert.deepEqual(mock.settings.defects, ['list.minimum-unlimited'])
    await page.open('runs')
    await page.fill('textbox', 'Only these requirements or checks', 'list.limit.respected')
    await page.click('button', 'Run the suite')
    await page.see('1 violated')
  },

  async 'run the contract, and file its failures as a baseline'(desk) {
    const { page, mock } = desk
    mock.configure({ defects: ['list.minimum-unlimited'] })
    await page.open('runs')
    await page.fill('textbox', 'Only these requirements or checks', 'list.limit.respected')
    await page.click('button', 'Run the suite')
    await page.see('1 violated')
    await page.click('button', 'Make a baseline')
    await page.fill('textbox', 'Reason', 'SHOP-12')
    await page.click('button', 'Save the baseline')
    await page.see('Saved baseline.json')
  },
}
