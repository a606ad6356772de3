import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { nameAlso, reasonOf, whenFree, writeTextFile } from '../../../src/cli/files.ts'
import { freePort } from '../../support/redis.ts'
import { key, startStore } from '../../support/store.ts'
import { anyFinding, conforming } from '../../unit/reporters/reports.ts'
import { cli, mistakeOf, run, withoutProgress } from './command.ts'
import { makeFolder } from '../../support/folder.ts'

const usual = ['--key', key, '--settle', '0', '--read-only', '--only', 'list-pets.responses']
const full = 'could not be written: the disk is full\n'
const unix = process.platform !== 'win32'
const hasFull = existsSync('/dev/full')

/** Runs `petstore` in a shell, between the text `before` and the text `after`. */
async function shell(before: string, args: readonly string[], after: string, cwd: string) {
  const words = [process.execPath, cli, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('sh', ['-c', `${before} ${words} ${after}`], { cwd })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const status = await new Promise((resolve) => child.once('close', resolve))
  return { status, stdout, stderr }
}

test('retries to replace a file that another program has open', async () => {
  const busy = Object.assign(new Error('busy'), { code: 'EPERM' })
  const act = vi.fn<() => Promise<void>>(async () => {}).mockRejectedValueOnce(busy)
  await whenFree(act, 2)
  expect(act).toHaveBeenCalledTimes(2)
  await expect(whenFree(async () => Promise.reject(busy), 2)).rejects.toBe(busy)
})

describe.skipIf(!hasFull)('an output that cannot be written', () => {
  test('gives exit code 4, and the others are written', async () => {
    const { url } = await startStore()
    const folder = makeFolder()
    const reporters = [
      '--reporter',
      'text',
      '--reporter',
      'junit=/dev/full',
      '--reporter',
      'json=report.json',
    ]
    const { code, stdout, stderr } = await run(['verify', url, ...usual, ...reporters], {
      cwd: folder,
    })
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `petstore: /dev/full ${full}wrote report.json\n`,
    })
    expect(stdout).toContain(url)
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
      verdict: 'conforms',
    })
  })

  test.each([
    ['1, for a violation, takes precedence', ['--key', key], 1],
    ['4 takes precedence over 3, for nothing verified', ['--key', 'another'], 4],
  ])('%s', async (_, more, expected) => {
    const { url } = await startStore({ defects: ['list.default-100'] })
    const args = [
      'verify',
      url,
      '--settle',
      '0',
      '--read-only',
      ...more,
      '--reporter',
      'json=/dev/full',
    ]
    const { code, stderr } = await run(args)
    expect(code).toBe(expected)
    expect(withoutProgress(stderr)).toMatch(new RegExp(`^petstore: /dev/full ${full}`))
  })

  test('may be the step summary', async () => {
    const { url } = await startStore()
    const args = ['verify', url, ...usual, '--reporter', 'github']
    for (const [file, why] of [
      ['not/there.md', 'there is no folder not'],
      ['/dev/full', 'the disk is full'],
    ]) {
      const { code, stderr } = await run(args, {
        env: { GITHUB_STEP_SUMMARY: file ?? '' },
        cwd: makeFolder(),
      })
      expect(stderr).toBe(`petstore: GITHUB_STEP_SUMMARY ${file} could not be written: ${why}\n`)
      expect(code).toBe(4)
    }
  })

  test('may be stdout', async () => {
    const folder = makeFolder()
    const report = conforming()
    const finding = { ...anyFinding, requirement: 'list.success', message: 'x' }
    writeFileSync(join(folder, 'report.json'), JSON.stringify({ ...report, findings: [finding] }))
    for (const args of [
      ['--help'],
      ['baseline', 'report.json', '--reason', 'x'],
      ['mock', '--port', '0'],
    ]) {
      const ran = await shell('', args, '> /dev/full', folder)
      expect(ran, args.join(' ')).toEqual({
        status: 4,
        stdout: '',
        stderr: `petstore: stdout ${full}`,
      })
    }
    expect(await shell('', ['--help'], '> /dev/full 2> /dev/full', folder)).toMatchObject({
      status: 4,
    })
  })

  test.each([
    ['fails', '> /dev/full', full.trim(), 2],
    ['is not read', '', 'is not read, so that lines of the log are dropped', 150],
  ])('is a log that %s, and the mock continues without it', async (_, to, why, count) => {
    const port = await freePort()
    const child = spawn('sh', [
      '-c',
      `exec '${process.execPath}' '${cli}' mock --port ${port} --log json --log-bodies ${to}`,
    ])
    let stderr = ''
    const says = (pattern: RegExp): Promise<string> =>
      vi.waitUntil(() => pattern.exec(stderr)?.[0], { timeout: 600_000, interval: 5 })
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    // The URL is in the log, which cannot be read.
    const url = `http://127.0.0.1:${port}/v1/pets`
    await vi.waitUntil(() => fetch(url).then(Boolean, () => false), { timeout: 600_000 })
    const headers = {
      authorization: 'Bearer petstore-test-key',
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ name: 'x'.repeat(20_000), categoryId: 1 })
    for (let sent = 0; sent < count; sent += 1)
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201)
    await says(/continues/)
    child.stdout.resume()
    child.kill()
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(4)
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { level: 'warn', event: 'notice', message: `stdout ${why}; the mock continues` },
    ])
  })

  test('is a log on stderr without a reader, whose rest is dropped', async () => {
    const post = `fetch(process.env.PETSTORE_BASE_URL + '/pets', { method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(20_000), categoryId: 1 }) })`
    const client = `let sent = 0; while (sent++ < 200) await (await ${post}).text(); console.log('sent')`
    const words = [
      'exec',
      '--log',
      'json',
      '--log-bodies',
      '--',
      process.execPath,
      '--input-type=module',
      '--eval',
      client,
    ]
    const child = spawn(process.execPath, [cli, ...words])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    let read = 0
    child.stderr.on('data', (bytes: Buffer) => (read += bytes.length))
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
    expect(read).toBeGreaterThan(1_000_000)
    expect(read).toBeLessThan(5_000_000)
  })
})

describe.skipIf(!unix)('a disk that is full in the middle of a file', () => {
  // Limits a file to 4 blocks of 512 bytes: writing the next byte fails, as on a full disk.
  const limit = 'ulimit -f 4; exec'

  test('leaves no truncated report and no temporary file, and keeps the old report', async () => {
    const { url } = await startStore()
    const folder = makeFolder()
    writeFileSync(join(folder, 'old.html'), 'as it was')
    const reporters = ['html=old.html', 'json=new.json', 'github=small.txt'].flatMap((name) => [
      '--reporter',
      name,
    ])
    const { status, stderr } = await shell(
      limit,
      ['verify', url, ...usual, ...reporters],
      '',
      folder,
    )
    const why = 'could not be written: the file would be larger than allowed\n'
    expect(stderr).toContain(`petstore: old.html ${why}petstore: new.json ${why}wrote small.txt\n`)
    expect(status).toBe(4)
    expect(readdirSync(folder).sort()).toEqual(['old.html', 'small.txt'])
    expect(readFileSync(join(folder, 'old.html'), 'utf8')).toBe('as it was')
  })

  test('leaves stdout unchanged', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'out.txt'), 'as it was\n')
    const ran = await shell(limit, ['profile', 'list'], '>> out.txt', folder)
    expect(ran.stderr).toBe(
      'petstore: stdout could not be written: the file would be larger than allowed\n',
    )
    expect(ran.status).toBe(4)
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('as it was\n')
  })
})

describe('a file of a reporter', () => {
  test('is written through a link, and to a special file', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'report.txt'), 'old')
    symlinkSync('report.txt', join(folder, 'link.txt'))
    await writeTextFile(join(folder, 'link.txt'), 'new')
    expect(readFileSync(join(folder, 'report.txt'), 'utf8')).toBe('new')
    expect(readdirSync(folder).sort()).toEqual(['link.txt', 'report.txt'])
    if (unix) await writeTextFile('/dev/null', 'new')
  })
})

describe('a file that cannot be used is named, with the reason in words', () => {
  const url = 'http://127.0.0.1:1/v1'
  const verify = (...args: string[]) => ['verify', url, '--key', key, ...args]
  const readers: [option: string, of: (file: string) => readonly string[]][] = [
    ['--key-file', (file) => ['verify', url, '--key-file', file]],
    ['--baseline', (file) => verify('--baseline', file)],
    ['--ca', (file) => verify('--ca', file)],
    ['--config', (file) => verify('--config', file)],
    ['--profile', (file) => ['mock', '--profile', file]],
    ['--data', (file) => ['mock', '--data', file]],
    ['--rules', (file) => ['mock', '--rules', file]],
    ['replay', (file) => ['replay', file, '--key', key]],
    ['baseline', (file) => ['baseline', file, '--reason', 'x']],
    ['--expect-profile', (file) => verify('--expect-profile', file)],
  ]
  const writers: typeof readers = [
    ['--save', (file) => ['mock', '--save', file]],
    ['--reporter', (file) => verify('--reporter', `json=${file}`)],
    ['scorecard --reporter', (file) => ['scorecard', url, '--reporter', `json=${file}`]],
  ]
  const noCode = /\bE[A-Z]{3,}\b/

  test.each(readers)('%s', async (_, of) => {
    const folder = makeFolder()
    const file = join(folder, 'file.json')
    writeFileSync(file, '{}')
    for (const [name, why] of [
      [join(folder, 'none.json'), 'does not exist'],
      [folder, 'cannot be read: it is a folder'],
      [join(file, 'x.json'), 'cannot be read: a part of its path is not a folder'],
    ] as const) {
      const message = await mistakeOf(of(name))
      expect(message).toContain(`${name} ${why}`)
      expect(message).not.toMatch(noCode)
      expect(message.split('\n')).toHaveLength(1)
    }
  })

  test.each(writers)('%s', async (_, of) => {
    const folder = makeFolder()
    const file = join(folder, 'file.json')
    writeFileSync(file, '{}')
    const places = [
      folder,
      join(file, 'x.json'),
      ...(process.platform === 'linux' ? ['/proc/x/y/z.xml', '/proc/z.xml'] : []),
    ]
    for (const name of places) {
      const message = await mistakeOf(of(name))
      expect(message).toContain(name)
      expect(message).toMatch(
        /is a folder|part of its path is not a folder|cannot be created|no file can be created|there is no folder/,
      )
      expect(message).not.toMatch(noCode)
      expect(message.split('\n')).toHaveLength(1)
    }
  })

  test('no system error is shown by its code', () => {
    for (const [errno, [code]] of getSystemErrorMap()) {
      const reason = reasonOf(Object.assign(new Error(`${code}: what, open 'x'`), { errno, code }))
      expect(reason, code).not.toContain(code)
      expect(reason).toMatch(/^[a-z]/i)
    }
  })
})

test('annotations of a deployment point to its line in petstore.config.json, below GITHUB_WORKSPACE', async () => {
  const { url } = await startStore()
  const workspace = makeFolder({
    'shop/petstore.config.json': `{
  "deployments": {
    "other": { "baseUrl": "https://other.example.com/v1", "keyEnv": "PETSTORE_OTHER_KEY" },
    "staging":
      { "baseUrl": "${url}", "keyEnv": "PETSTORE_STAGING_KEY" }
  }
}`,
  })
  const cwd = join(workspace, 'shop')
  const options = [...usual.slice(2), '--reporter', 'github']
  const env = { PETSTORE_STAGING_KEY: key, GITHUB_WORKSPACE: workspace }
  const named = await run(['verify', 'staging', ...options], { cwd, env })
  expect(named.stdout, named.stderr).toMatch(
    /^::notice file=shop\/petstore\.config\.json,line=5,title=petstore verify/m,
  )
  const plain = await run(['verify', url, ...options, '--key', key], { cwd })
  expect(plain.stdout, plain.stderr).toMatch(/^::notice title=petstore verify/m)
})

test('a second name stays with what the file had, and leaves nothing else', async () => {
  const folder = makeFolder({ 'a.txt': 'one' })
  const [file, name] = [join(folder, 'a.txt'), join(folder, 'b.txt')]
  // Twice for the same content.
  for (const _ of '12') await nameAlso(file, name, true)
  await writeTextFile(file, 'two')
  expect([readFileSync(name, 'utf8'), readdirSync(folder).toSorted()]).toEqual([
    'one',
    ['a.txt', 'b.txt'],
  ])
  await expect(nameAlso(join(folder, 'none'), name, true)).rejects.toThrow(/ENOENT/)
  expect(readdirSync(folder).toSorted()).toEqual(['a.txt', 'b.txt'])
})
