/** electron-updater's own code against real servers on loopback, for an AppImage that is a shell script. */
import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { UpdateState } from '../shared/contract/native.ts'
import { createUpdateEngine, signedBytes } from './update-engine.ts'
import { createUpdateMemory, createUpdates, type Updates } from './updates.ts'

const METADATA = process.arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${process.arch}.yml`
const NEW_NAME = 'Countersign-0.2.0-linux.AppImage'
/** Says with which arguments it was started, in a file beside itself. */
const script = (version: string) =>
  `#!/bin/sh\n# ${version}\necho "${version} $*" > "$(dirname "$0")/started"\n`
const newApp = Buffer.from(script('0.2.0') + '#'.repeat(100_000))

const keyPair = () => generateKeyPairSync('ed25519')
const publicText = (key: KeyObject) =>
  key.export({ format: 'der', type: 'spki' }).toString('base64')
const ours = keyPair()
const next = keyPair()
const foreign = keyPair()

let folder: string
let appImage: string
let server: Server
/** What the server has: a body, or how it answers. */
let files: Map<string, string | Buffer | ((response: ServerResponse) => void)>
let requests: { readonly path: string; readonly headers: string }[]
let states: UpdateState[]
let errors: string[]
let logged: string[]
let released: number
let updates: Updates
let quits: number

function start({ keys = [publicText(ours.publicKey)], version = '0.1.0' } = {}): void {
  const memory = createUpdateMemory(join(folder, 'state', 'updates.json'))
  updates = createUpdates({
    version,
    off: null,
    loadEngine: () =>
      Promise.resolve().then(() =>
        createUpdateEngine({
          app: {
            getVersion: () => version,
            isPackaged: true,
            quit: () => undefined,
            relaunch: () => undefined,
            releaseSingleInstanceLock: () => void released++,
          },
          platform: 'linux',
          appImage,
          words: ['--data', 'elsewhere'],
          configFile: join(folder, 'app-update.yml'),
          keys,
          cacheFolder: join(folder, 'cache'),
          stateFolder: join(folder, 'state'),
          memory,
          fetch: (url, init) => fetch(url, init),
          squirrel: () => Promise.reject(new Error('not a Mac')),
          patienceMs: 400,
        }),
      ),
    log: {
      info: () => undefined,
      warn: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
      bug: (error) => {
        logged.push(String(error))
        return 'REF'
      },
    },
    changed: (state) => void states.push(state),
    quit: () => void quits++,
    showError: (title, message) => void errors.push(`${title}: ${message}`),
  })
}

function metadata(change: Record<string, unknown> = {}): string {
  const file = {
    url: NEW_NAME,
    sha512: createHash('sha512').update(newApp).digest('base64'),
    size: newApp.length,
  }
  // JSON is YAML.
  return JSON.stringify({
    version: '0.2.0',
    releaseDate: '2026-11-20T10:00:00.000Z',
    files: [file],
    ...change,
  })
}

/** Puts metadata on the server, with a signature by each key. */
function publish(
  text: string,
  signers: readonly KeyObject[] = [ours.privateKey],
  name = METADATA,
): void {
  files.set(METADATA, text)
  const lines = signers.map((key) =>
    sign(null, signedBytes(name, Buffer.from(text)), key).toString('base64'),
  )
  files.set(`${METADATA}.sig`, `${lines.join('\n')}\n`)
  files.set(NEW_NAME, newApp)
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-updates-'))
  for (const name of ['state', 'apps']) mkdirSync(join(folder, name))
  appImage = join(folder, 'apps', 'Countersign-0.1.0-linux.AppImage')
  writeFileSync(appImage, script('0.1.0'))
  chmodSync(appImage, 0o755)
  vi.stubEnv('APPIMAGE', appImage)
  files = new Map()
  requests = []
  states = []
  errors = []
  logged = []
  released = 0
  quits = 0
  server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: JSON.stringify(request.headers) })
    const file = files.get(path.replace('/updates/', ''))
    if (typeof file === 'function') file(response)
    else response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  writeFileSync(
    join(folder, 'app-update.yml'),
    `provider: generic\nurl: http://127.0.0.1:${port}/updates\nupdaterCacheDirName: countersign-updater\n`,
  )
  start()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function act(
  action: 'check' | 'download' | 'restart',
  busy: UpdateState['phase'],
): Promise<UpdateState> {
  expect((await updates.act({ action })).phase).toBe(busy)
  await vi.waitFor(
    async () => expect((await updates.act({ action: 'look' })).phase).not.toBe(busy),
    {
      timeout: 15_000,
      interval: 5,
    },
  )
  return updates.act({ action: 'look' })
}
const check = () => act('check', 'checking')
const download = () => act('download', 'downloading')
const restart = async () => {
  await updates.act({ action: 'restart' })
  await vi.waitFor(() => expect([quits, states.at(-1)?.phase]).not.toEqual([0, 'restarting']))
}

/** The app is unchanged, and there is no file of an installer. */
function expectNothingWritten(): void {
  expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
  const entries = globSync('{cache,apps}/**', { cwd: folder, withFileTypes: true })
  expect(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([
    basename(appImage),
  ])
  expect([quits, released]).toEqual([0, 0])
}
const downloads = () => requests.filter(({ path }) => path.endsWith('.AppImage'))

describe('a check', () => {
  test('finds a signed newer version, sends no ID and no version, and downloads nothing', async () => {
    publish(metadata())
    expect(await check()).toEqual({ phase: 'available', version: '0.2.0', size: newApp.length })
    expect(requests.map(({ path }) => path).toSorted()).toEqual([
      `/updates/${METADATA}`,
      `/updates/${METADATA}.sig`,
    ])
    for (const { headers } of requests) expect(headers).not.toMatch(/staging|0\.1\.0|cookie/)
    expectNothingWritten()
  })

  const old = metadata({ version: '0.0.9' })
  const refused: Readonly<Record<string, readonly [() => void, RegExp]>> = {
    'is not signed': [
      () => {
        publish(metadata())
        files.delete(`${METADATA}.sig`)
      },
      /^The update isn't signed\. Nothing was downloaded\.$/,
    ],
    'has an empty signature file': [
      () => {
        publish(metadata())
        files.set(`${METADATA}.sig`, '')
      },
      /signature doesn't match/,
    ],
    'has a truncated signature': [
      () => {
        publish(metadata())
        const signature = files.get(`${METADATA}.sig`) as string
        files.set(`${METADATA}.sig`, signature.slice(0, 60))
      },
      /signature doesn't match/,
    ],
    'is signed with another key': [
      () => publish(metadata(), [foreign.privateKey]),
      /signature doesn't match/,
    ],
    'was changed by one byte': [
      () => {
        publish(metadata())
        files.set(METADATA, metadata().replace('0.2.0', '0.3.0'))
      },
      /signature doesn't match/,
    ],
    'was truncated': [
      () => {
        publish(metadata())
        files.set(METADATA, metadata().slice(0, -20))
      },
      /signature doesn't match/,
    ],
    "is another platform's, validly signed": [
      () => publish(metadata(), [ours.privateKey], 'latest-mac.yml'),
      /signature doesn't match/,
    ],
    'is signed but not readable': [() => publish('{"version":'), /see REF in the log/],
    'is signed but names a path': [
      () =>
        publish(
          metadata({ files: [{ url: '../evil.AppImage', sha512: 'A'.repeat(88), size: 1 }] }),
        ),
      /incomplete/,
    ],
    'is signed but has no date': [
      () => publish(metadata({ releaseDate: undefined })),
      /incomplete/,
    ],
    'is signed but has no AppImage': [
      () => publish(metadata({ files: [{ url: 'a.zip', sha512: 'A'.repeat(88), size: 1 }] })),
      /has no \.AppImage file/,
    ],
    'is endless': [
      () => {
        publish(metadata())
        files.set(METADATA, (response) => {
          const more = () => {
            while (response.write(Buffer.alloc(16_384))) if (response.destroyed) return
            response.once('drain', more)
          }
          more()
        })
      },
      /longer than the 65536 bytes/,
    ],
    'does not exist': [() => undefined, new RegExp(`^127\\.0\\.0\\.1:\\d+ has no ${METADATA}`)],
    'ends in an error': [
      () => files.set(METADATA, (response) => response.writeHead(500).end()),
      /returned 500\. Try again later/,
    ],
    'never comes, because the server hangs': [
      () => {
        publish(metadata())
        files.set(METADATA, () => undefined)
      },
      /stopped responding/,
    ],
    'never comes, because the server is off': [
      () => {
        server.closeAllConnections()
        server.close()
      },
      /^Couldn't reach 127\.0\.0\.1:\d+\. Check your connection, then try again\.$/,
    ],
  }
  test.each(Object.entries(refused))(
    'is refused if the metadata %s: nothing changes, and the log has the reason',
    async (_, [serve, message]) => {
      serve()
      expect(await check()).toEqual({
        phase: 'failed',
        title: "Couldn't check for updates",
        message: expect.stringMatching(message) as string,
        retry: 'check',
      })
      expect(logged).toHaveLength(1)
      expect(downloads()).toEqual([])
      expectNothingWritten()
    },
  )

  test('parses nothing before the signature is verified', async () => {
    publish('{"version":', [foreign.privateKey])
    expect(await check()).toMatchObject({
      phase: 'failed',
      message: expect.stringContaining('signature') as string,
    })
    expect(createUpdateMemory(join(folder, 'state', 'updates.json')).get().newest).toBeNull()
  })

  test('never offers an older version, though it is validly signed', async () => {
    publish(old)
    expect(await check()).toEqual({ phase: 'current', later: null })
    publish(metadata({ version: '0.1.0' }))
    expect(await check()).toEqual({ phase: 'current', later: null })
    expect(await updates.act({ action: 'download' })).toEqual({ phase: 'current', later: null })
    expect(downloads()).toEqual([])
    expectNothingWritten()
  })

  test('refuses older metadata than it has seen, so that an old file cannot hide a newer version', async () => {
    publish(metadata())
    expect(await check()).toMatchObject({ phase: 'available' })
    publish(metadata({ version: '0.1.5', releaseDate: '2026-11-19T10:00:00.000Z' }))
    // After a restart, too.
    start()
    expect(await check()).toMatchObject({
      message: 'The update server sent older information than before. Nothing was downloaded.',
    })
  })

  test('honors a gradual release', async () => {
    publish(metadata({ stagingPercentage: 0 }))
    expect(await check()).toEqual({ phase: 'current', later: '0.2.0' })
    publish(metadata({ stagingPercentage: 100 }))
    expect(await check()).toMatchObject({ phase: 'available' })
    const halves = new Set<string>()
    publish(metadata({ stagingPercentage: 50 }))
    // The ID decides, always the same way. Its last four bytes count.
    for (const end of ['00000001', 'fffffffe']) {
      writeFileSync(join(folder, 'state', '.updaterId'), `6ba7b814-9dad-51d1-80b4-00c0${end}`)
      start()
      const first = await check()
      halves.add(`${end} ${first.phase}`)
      expect(await check()).toEqual(first)
    }
    expect([...halves]).toEqual(['00000001 available', 'fffffffe current'])
  })

  test('accepts any of the listed keys, so that keys can change', async () => {
    start({ keys: [publicText(ours.publicKey), publicText(next.publicKey)] })
    publish(metadata(), [next.privateKey])
    expect(await check()).toMatchObject({ phase: 'available' })
    // An app that only knows the old key, while the release is signed with both.
    start()
    publish(metadata(), [next.privateKey, ours.privateKey])
    expect(await check()).toMatchObject({ phase: 'available' })
  })

  test('can be cancelled', async () => {
    for (const name of [METADATA, `${METADATA}.sig`]) files.set(name, () => undefined)
    await updates.act({ action: 'check' })
    await vi.waitFor(() => expect(requests).toHaveLength(2))
    await updates.act({ action: 'cancel' })
    await vi.waitFor(() => expect(states.at(-1)).toEqual({ phase: 'idle' }))
    expect(logged).toEqual([])
  })

  test('sends nothing to a server without https', async () => {
    writeFileSync(join(folder, 'app-update.yml'), 'provider: generic\nurl: http://updates.test/\n')
    expect(await check()).toMatchObject({
      message: "The update server updates.test isn't secure (https). Nothing was sent.",
    })
  })
})

describe('a download', () => {
  beforeEach(async () => {
    publish(metadata())
    await check()
  })

  test('starts only on request, reports its progress, and installs nothing', async () => {
    expect(downloads()).toEqual([])
    expect(await download()).toEqual({ phase: 'ready', version: '0.2.0' })
    const received = states.flatMap((state) =>
      state.phase === 'downloading' ? [state.received] : [],
    )
    expect(received[0]).toBe(0)
    expect(received.at(-1)).toBeGreaterThan(newApp.length / 2)
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
    updates.finish(true)
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
  })

  const damaged: Readonly<Record<string, readonly [() => void, RegExp]>> = {
    'was tampered with': [
      () => files.set(NEW_NAME, Buffer.from(newApp.toString().replace('0.2.0', '6.6.6'))),
      /^The downloaded file doesn't match its signed checksum and was deleted\. Countersign 0\.1\.0 is unchanged\.$/,
    ],
    'is truncated': [
      () => files.set(NEW_NAME, newApp.subarray(0, 5_000)),
      /doesn't match its signed checksum/,
    ],
    'is longer than signed': [
      () => files.set(NEW_NAME, Buffer.concat([newApp, newApp])),
      /longer than/,
    ],
    'is missing': [() => files.delete(NEW_NAME), /has no Countersign-0\.2\.0/],
    'breaks off': [
      () =>
        files.set(NEW_NAME, (response) => {
          response.writeHead(200, { 'content-length': newApp.length })
          response.write(newApp.subarray(0, 5_000), () => response.destroy())
        }),
      /Couldn't reach/,
    ],
    'stops arriving': [
      () => files.set(NEW_NAME, (response) => response.write(newApp.subarray(0, 5_000))),
      /stopped responding/,
    ],
  }
  test.each(Object.entries(damaged))(
    'fails if the installer %s: the app stays unchanged',
    async (_, [serve, message]) => {
      serve()
      expect(await download()).toEqual({
        phase: 'failed',
        title: "Couldn't download the update",
        message: expect.stringMatching(message) as string,
        retry: 'download',
      })
      expect(logged).toHaveLength(1)
      expectNothingWritten()
      publish(metadata())
      expect(await download()).toEqual({ phase: 'ready', version: '0.2.0' })
    },
  )

  test('can be cancelled, and leaves nothing behind', async () => {
    files.set(NEW_NAME, (response) => response.write(newApp.subarray(0, 50_000)))
    await updates.act({ action: 'download' })
    await vi.waitFor(() =>
      expect(states.some((state) => state.phase === 'downloading' && state.received > 0)).toBe(
        true,
      ),
    )
    await updates.act({ action: 'cancel' })
    await vi.waitFor(() =>
      expect(states.at(-1)).toMatchObject({ phase: 'available', version: '0.2.0' }),
    )
    expect(logged).toEqual([])
    expectNothingWritten()
  })
})

describe.skipIf(process.platform === 'win32')('the restart', () => {
  beforeEach(async () => {
    publish(metadata())
    await check()
    await download()
  })
  const started = () =>
    vi.waitFor(() => expect(existsSync(join(folder, 'apps', 'started'))).toBe(true))
  const target = () => join(folder, 'apps', NEW_NAME)

  test('quits first, then replaces the app and starts the new version with the same arguments', async () => {
    await restart()
    expect(quits).toBe(1)
    // The core is still closing.
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
    updates.finish(true)
    await started()
    await vi.waitFor(() =>
      expect(readFileSync(join(folder, 'apps', 'started'), 'utf8')).toBe(
        '0.2.0 --data elsewhere\n',
      ),
    )
    expect(readFileSync(target())).toEqual(newApp)
    // Its name says its version.
    expect(existsSync(appImage)).toBe(false)
    expect([released, errors]).toEqual([1, []])
    expect(globSync('apps/.*', { cwd: folder })).toEqual([])
  })

  test('does not install if the core could not be closed', async () => {
    await restart()
    updates.finish(false)
    expect(errors).toEqual([
      "Couldn't update Countersign: Countersign didn't close in time, so it wasn't updated. Start it again.",
    ])
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
  })

  test('refuses an installer that was changed after the download, and says so while the app still runs', async () => {
    const [file] = globSync(`cache/**/${NEW_NAME}`, { cwd: folder })
    writeFileSync(join(folder, file ?? ''), script('6.6.6'))
    await restart()
    expect(states.at(-1)).toEqual({
      phase: 'failed',
      title: "Couldn't install the update",
      message: 'The downloaded file was changed and was deleted. Countersign 0.1.0 is unchanged.',
      retry: 'download',
    })
    updates.finish(true)
    expect([quits, errors]).toEqual([0, []])
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
    expect(await download()).toEqual({ phase: 'ready', version: '0.2.0' })
  })

  test('starts the old version again if the app cannot be replaced, and says so', async () => {
    await restart()
    // A folder can't be overwritten by a file.
    mkdirSync(join(target(), 'full'), { recursive: true })
    updates.finish(true)
    await started()
    expect(readFileSync(join(folder, 'apps', 'started'), 'utf8')).toBe('0.1.0 --data elsewhere\n')
    expect(errors).toEqual([
      expect.stringMatching(
        /^Couldn't update Countersign: Couldn't replace .*Countersign 0\.1\.0 is unchanged\.$/,
      ),
    ])
    expect(readFileSync(appImage, 'utf8')).toBe(script('0.1.0'))
  })
})

describe('the script that signs a release', () => {
  const script = fileURLToPath(new URL('../../scripts/sign-updates.mjs', import.meta.url))
  const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString()
  function runScript(key: string) {
    writeFileSync(
      join(folder, 'keys.json'),
      JSON.stringify([publicText(ours.publicKey), publicText(next.publicKey)]),
    )
    const env = { ...process.env, COUNTERSIGN_UPDATE_KEY: key }
    return spawnSync(process.execPath, [script, folder, '--keys', join(folder, 'keys.json')], {
      env,
      encoding: 'utf8',
    })
  }
  /** As electron-builder writes it. */
  const yml = `version: 0.2.0
files:
  - url: ${NEW_NAME}
    sha512: ${createHash('sha512').update(newApp).digest('base64')}
    size: ${newApp.length}
path: ${NEW_NAME}
releaseDate: '2026-11-20T10:00:00.000Z'
`

  test('makes signatures that the app accepts, by each of its keys', async () => {
    writeFileSync(join(folder, METADATA), yml)
    expect(runScript(pem(ours.privateKey) + pem(next.privateKey))).toMatchObject({
      status: 0,
      stdout: `Signed ${METADATA} with 2 keys.\n`,
    })
    for (const name of [METADATA, `${METADATA}.sig`])
      files.set(name, readFileSync(join(folder, name)))
    expect(await check()).toMatchObject({ phase: 'available', version: '0.2.0' })
    start({ keys: [publicText(next.publicKey)] })
    expect(await check()).toMatchObject({ phase: 'available', version: '0.2.0' })
  })

  test.each([
    ['http://updates.test/', /must be a complete https URL/],
    ['https://updates.test/', /lists no key, so the app would refuse every update/],
  ])('a package with COUNTERSIGN_UPDATE_URL=%s is refused before it is built', (url, message) => {
    const packaging = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url))
    const env = { ...process.env, COUNTERSIGN_UPDATE_URL: url }
    const { status, stderr } = spawnSync(process.execPath, [packaging], { env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([3, expect.stringMatching(message)])
  })

  test.each([
    ['no key', () => '', /missing or incomplete/],
    [
      'a second key that is cut',
      () => pem(ours.privateKey) + pem(next.privateKey).slice(0, 60),
      /missing or incomplete/,
    ],
    ['a key that the app does not list', () => pem(foreign.privateKey), /doesn't list/],
    [
      'another kind of key',
      () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      /isn't an Ed25519 key/,
    ],
  ])('signs nothing with %s', (_, key, message) => {
    writeFileSync(join(folder, METADATA), yml)
    const { status, stderr } = runScript(key())
    expect([status, stderr]).toEqual([3, expect.stringMatching(message)])
    expect(existsSync(join(folder, `${METADATA}.sig`))).toBe(false)
  })
})
