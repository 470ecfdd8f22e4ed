/**
 * Tunnels with fake tools: a script that prints what `cloudflared` prints and really forwards requests to the receiver, and a fake
 * ngrok package. The real services are never called.
 */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  installNgrokStandIn,
  installStandIn,
  type StandIn,
} from '../../../test/support/standin-tunnels.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { TunnelStatus } from '../../shared/model/tunnel.ts'
import { createSender } from '../outgoing/wire/sender.ts'
import { openIdentity, type TlsIdentity } from '../receiver/identity.ts'
import type { Intake } from '../receiver/intake.ts'
import { startReceiver, type Receiver } from '../receiver/receiver.ts'
import { systemClock } from '../base/system-clock.ts'
import { isAlive } from '../base/processes.ts'
import { cloudflaredArguments, createCloudflared } from './cloudflared.ts'
import { createNgrok } from './ngrok.ts'
import { createProbes, withoutProbes } from './probes.ts'
import { testAddress } from './test-address.ts'
import { createTunnels, type Tunnels, type TunnelsDeps } from './tunnels.ts'

const ADDRESS = /^https:\/\/stand-in-\d+\.trycloudflare\.com$/

let folder: string
let identity: TlsIdentity
let receiver: Receiver
let stored = 0
const { log, randomBytes } = testDeps('')
const probes = createProbes((count) => randomBytes(count))

beforeAll(async () => {
  folder = temporaryFolder()
  identity = await openIdentity({ dataFolder: folder, clock: systemClock, log, randomBytes })
  const intake: Intake = {
    take() {
      stored++
      return Promise.resolve({
        status: 204,
        headers: [],
        body: '',
        delayMs: 0,
        drop: false,
        onAnswered: () => undefined,
      })
    },
    startOverflow: () => ({ update: () => undefined }),
  }
  const { take, startOverflow } = withoutProbes(intake, probes)
  receiver = await startReceiver({
    identity,
    clock: systemClock,
    log,
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    take,
    startOverflow,
  })
})

afterAll(async () => {
  await receiver.close()
  identity.close()
})

let tunnels: Tunnels | null = null
let publicUrl: string | null
let history: TunnelStatus[]
let waiting: (() => void)[] = []
let waits: number[]
beforeEach(() => {
  publicUrl = null
  history = []
  waits = []
})
afterEach(async () => {
  await tunnels?.close()
  tunnels = null
})

interface Made {
  readonly tunnels: Tunnels
  readonly standIn: StandIn
  readonly remembered: string[]
  /** Resolves with the first matching state, including the current one. */
  until(fits: (status: TunnelStatus) => boolean): Promise<TunnelStatus>
}

/** Requests to a fake tunnel's URL go to its port, because its name doesn't exist. */
async function send(
  standIn: StandIn,
  deps: Parameters<typeof testAddress>[1],
  url: string,
  signal?: AbortSignal,
) {
  const start = (await standIn.starts()).find(({ address }) => address === url)
  const sender: Parameters<typeof testAddress>[1]['sender'] = {
    send: (request) =>
      deps.sender.send({
        ...request,
        url: start === undefined ? request.url : request.url.replace(url, start.origin),
      }),
  }
  return testAddress(url, { ...deps, sender }, signal)
}

let made = 0
async function make(mode = 'works', replaced: Partial<TunnelsDeps> = {}): Promise<Made> {
  const standIn = await installStandIn(join(folder, `made-${++made}`), mode)
  const remembered: string[] = []
  let token: string | null = null
  let slept = 0
  const status = (): ReceiverStatus => ({
    state: 'listening',
    url: `https://127.0.0.1:${receiver.port}`,
    httpUrl: null,
    publicUrl,
    problem: null,
  })
  const sender = createSender({
    authorities: [identity.caPem],
    monotonic: () => systemClock.monotonic(),
  })
  const own = createTunnels({
    // Waits are recorded and end immediately; the clock advances by them.
    clock: {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + slept,
      sleep: (ms, signal) => {
        if (ms > 0) waits.push(ms)
        slept += ms
        return systemClock.sleep(Math.min(ms, 5), signal)
      },
    },
    log,
    memory: {
      addresses: () => remembered,
      remember: (url) => {
        remembered.splice(0, remembered.length, url, ...remembered.filter((known) => known !== url))
        return Promise.resolve()
      },
      token: () => Promise.resolve(token),
      tokenHint: () => Promise.resolve(token === null ? null : '…'),
      setToken: (given) => {
        token = given
        return Promise.resolve()
      },
    },
    adapters: [
      createCloudflared({
        folder: join(folder, 'config'),
        env: { ...standIn.env, COUNTERSIGN_KEY: 'sk' },
        platform: 'linux',
      }),
      createNgrok({ dataFolder: folder }),
    ],
    caFile: identity.caFile,
    receiver: status,
    setPublicUrl: (url) => {
      publicUrl = url
      return Promise.resolve(status())
    },
    test: (url, signal) => send(standIn, { clock: systemClock, probes, sender }, url, signal),
    onChanged: (changed) => {
      history.push(changed)
      for (const wake of waiting.splice(0)) wake()
    },
    ...replaced,
  })
  tunnels = own
  return {
    tunnels: own,
    standIn,
    remembered,
    async until(fits) {
      for (;;) {
        const now = own.status()
        if (fits(now)) return now
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}

/** Waits until the system notices that the process has ended. */
async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10)
}

const cloudflared = { provider: 'cloudflared', domain: null } as const

describe('cloudflared', () => {
  test('connects the service to the receiver over verified HTTPS and stores nothing of the test', async () => {
    const { tunnels: own, until, standIn } = await make()
    expect(await own.start(cloudflared)).toMatchObject({
      state: 'starting',
      provider: 'cloudflared',
    })
    const up = await until(
      ({ state, testing, test: found }) => state === 'up' && !testing && found !== null,
    )
    expect(up.url).toMatch(ADDRESS)
    expect(publicUrl).toBe(up.url)
    expect(up.test).toMatchObject({ outcome: 'reached', url: up.url, status: 200 })
    expect(stored).toBe(0)
    const [start] = await standIn.starts()
    expect(start?.args).toEqual(
      cloudflaredArguments(
        { url: `https://127.0.0.1:${receiver.port}`, caFile: identity.caFile },
        join(folder, 'config', 'cloudflared.yml'),
      ),
    )
    expect(start?.env).not.toContain('COUNTERSIGN_KEY')
    await own.stop()
    await untilGone(start?.pid ?? 0)
    expect(own.status()).toMatchObject({ state: 'stopped', url: null, problem: null })
    expect(publicUrl).toBeNull()
    expect(
      history.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]),
    ).toEqual(['starting', 'up', 'stopped'])
  })

  test('restarts after it ended by itself, and its new URL becomes the public one', async () => {
    const { tunnels: own, until, standIn } = await make()
    await own.start(cloudflared)
    const first = await until(({ state }) => state === 'up')
    const [start] = await standIn.starts()
    process.kill(start?.pid ?? 0, 'SIGKILL')
    const failing = await until(({ state }) => state === 'failing')
    expect(failing.problem).toMatch(/^cloudflared stopped\. Exit code 137\./)
    expect(Date.parse(failing.nextTryAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const second = await until(({ state, url }) => state === 'up' && url !== first.url)
    expect(publicUrl).toBe(second.url)
    expect(second.earlier).toEqual([first.url])
    expect(second.test).toBeNull()
    expect(waits).toContain(1_000)
  })

  test("doesn't replace a public URL that the user set meanwhile", async () => {
    const { tunnels: own, until, standIn } = await make()
    await own.start(cloudflared)
    const first = await until(({ state }) => state === 'up')
    publicUrl = 'https://hooks.example.com'
    process.kill((await standIn.starts())[0]?.pid ?? 0, 'SIGKILL')
    await until(({ state, url }) => state === 'up' && url !== first.url)
    expect(publicUrl).toBe('https://hooks.example.com')
    await own.stop()
    expect(publicUrl).toBe('https://hooks.example.com')
  })

  test("that doesn't start is retried with growing delays and stopped within a minute, with its last output shown", async () => {
    const { tunnels: own, until } = await make('refused')
    await own.start(cloudflared)
    const stopped = await until(({ state }) => state === 'stopped')
    expect(stopped.problem).toMatch(
      /^Stopped after 6 consecutive failures: .*code 1\. Its last output: .*429 Too Many Requests/,
    )
    expect(waits).toEqual([1, 2, 4, 8, 16].map((seconds) => seconds * 1_000))
  })

  test('that was up is stopped after ten failures', async () => {
    const { tunnels: own, until, standIn } = await make()
    await own.start(cloudflared)
    await until(({ state, test: found, testing }) => state === 'up' && !testing && found !== null)
    waits = []
    await standIn.refuse()
    process.kill((await standIn.starts())[0]?.pid ?? 0, 'SIGKILL')
    const stopped = await until(({ state }) => state === 'stopped')
    expect(stopped.problem).toMatch(/^Stopped after 10 consecutive failures: /)
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
  })

  test('that reports no URL and ignores a request to end is killed', async () => {
    const { tunnels: own, until, standIn } = await make('silent')
    await own.start(cloudflared)
    while ((await standIn.starts()).length === 0) await sleep(10)
    expect(own.status().state).toBe('starting')
    await own.stop()
    await untilGone((await standIn.starts())[0]?.pid ?? 0)
    expect(own.status().state).toBe('stopped')

    const late = new AbortController()
    const target = { url: `https://127.0.0.1:${receiver.port}`, caFile: identity.caFile }
    const options = { domain: null, token: null, signal: late.signal, limitMs: 45_000 }
    const surroundings = {
      folder: join(folder, 'late'),
      env: standIn.env,
      platform: 'linux',
    } as const
    const opening = createCloudflared(surroundings).open(
      join(standIn.folder, 'cloudflared'),
      target,
      options,
    )
    while ((await standIn.starts()).length === 1) await sleep(10)
    late.abort()
    await expect(opening).rejects.toThrow(
      /^cloudflared didn't report a URL within 45 s, so it was stopped\. Check .*internet connection\.$/,
    )
    await untilGone((await standIn.starts())[1]?.pid ?? 0)

    const deaf = await make('deaf')
    await deaf.tunnels.start(cloudflared)
    await deaf.until(({ state }) => state === 'up')
    const pid = (await deaf.standIn.starts())[0]?.pid ?? 0
    await deaf.tunnels.close()
    await untilGone(pid)
    expect(await until(() => true)).toMatchObject({ state: 'stopped' })
  })

  test('problems of a proxy that changes requests or responses are explained', async () => {
    for (const [mode, outcome, message] of [
      ['alters', 'altered', /changes the path \(\/… arrived as \/v2\/…\)/],
      ['mute', 'no-answer', /doesn't come back unchanged\. It arrived as 500\./],
    ] as const) {
      const { tunnels: own, until } = await make(mode)
      await own.start(cloudflared)
      const { test: found } = await until(({ test: one, testing }) => one !== null && !testing)
      expect(found).toMatchObject({ outcome, message: expect.stringMatching(message) as unknown })
      await own.close()
    }
  })

  test("that isn't installed is reported with install instructions", async () => {
    const { tunnels: own } = await make('works', {
      adapters: [createCloudflared({ folder, env: { PATH: folder }, platform: 'win32' })],
    })
    await expect(own.start(cloudflared)).rejects.toMatchObject({
      code: 'TUNNEL_UNAVAILABLE',
      message: expect.stringContaining('winget install --id Cloudflare.cloudflared') as unknown,
    })
    expect(own.status().state).toBe('off')
    await expect(own.test()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

test('a program ends with the process that started it, even if that is killed', async () => {
  const standIn = await installStandIn(join(folder, 'killed'))
  const start = `import { startGuarded } from ${JSON.stringify(new URL('guarded-process.ts', import.meta.url).href)}
    startGuarded(${JSON.stringify(join(standIn.folder, 'cloudflared'))}, ['tunnel', '--config', '/dev/null', '--url', 'http://127.0.0.1:9'],
      { env: ${JSON.stringify(standIn.env)}, platform: 'linux' })`
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', start], {
    stdio: 'ignore',
  })
  while ((await standIn.starts()).length === 0) await sleep(20)
  const pid = (await standIn.starts())[0]?.pid ?? 0
  expect(isAlive(pid)).toBe(true)
  starter.kill('SIGKILL')
  await untilGone(pid)
})

test("a request that isn't a probe, or a repeated probe, is a normal delivery", async () => {
  const probe = probes.expect()
  const before = stored
  const statuses: number[] = []
  for (const path of [
    '/hooks',
    '/.countersign/0123456789abcdef0123456789abcdef',
    probe.path,
    probe.path,
  ])
    statuses.push(
      (await fetch(`http://127.0.0.1:${receiver.httpPort}${path}`, { method: 'POST', body: 'x' }))
        .status,
    )
  expect(statuses).toEqual([204, 204, 200, 204])
  expect(stored - before).toBe(3)
})

describe('ngrok', () => {
  const ngrok = { provider: 'ngrok', domain: null } as const

  test("is loaded from the data folder's plugins, with the stored token", async () => {
    const { tunnels: own, until } = await make()
    await expect(own.start(ngrok)).rejects.toMatchObject({
      code: 'TUNNEL_UNAVAILABLE',
      message: expect.stringContaining(
        `npm install --prefix ${join(folder, 'plugins')} @ngrok/ngrok`,
      ) as unknown,
    })
    const asked = join(folder, 'asked.jsonl')
    await installNgrokStandIn(folder, 'https://127.0.0.1:9', asked)
    await expect(own.start(ngrok)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'token' },
    })
    await own.setToken('right-token')
    await own.start({ ...ngrok, domain: 'me.example.dev' })
    expect(await until(({ state }) => state === 'up')).toMatchObject({
      url: 'https://me.example.dev',
      provider: 'ngrok',
    })
    await own.stop()
    expect(
      (await readFile(asked, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        addr: `https://127.0.0.1:${receiver.port}`,
        authtoken: 'right-token',
        domain: 'me.example.dev',
        verify_upstream_tls: false,
      },
      { closed: 'https://me.example.dev' },
    ])
  })

  test("that macOS doesn't let the signed app load is reported with what works instead", async () => {
    // Not the other tests' folder: Node remembers which file a package's name stands for.
    const dataFolder = join(folder, 'signed')
    const { tunnels: own, until } = await make('works', { adapters: [createNgrok({ dataFolder })] })
    const plugin = join(dataFolder, 'plugins', 'node_modules', '@ngrok', 'ngrok')
    await mkdir(plugin, { recursive: true })
    await writeFile(join(plugin, 'package.json'), '{"name":"@ngrok/ngrok","main":"refused.cjs"}')
    // As its loader throws it, with the system's text of a library that another team signed.
    await writeFile(
      join(plugin, 'refused.cjs'),
      `const cause = new Error("dlopen(/p/ngrok.darwin-arm64.node, 0x0001): tried: '/p/ngrok.darwin-arm64.node' (code signature in <4B1D> " +
        "'/p/ngrok.darwin-arm64.node' not valid for use in process: mapping process and mapped file (non-platform) have different Team IDs)")
      throw new Error('Cannot find native binding.', { cause: new Error("Cannot find module './ngrok.darwin-universal.node'", { cause }) })`,
    )
    await own.setToken('right-token')
    await own.start(ngrok)
    const { problem } = await until(({ state }) => state === 'stopped')
    expect(problem).toBe(
      'macOS doesn\'t let this app load @ngrok/ngrok, because another developer signed it. Quit the app and run "countersign serve", or use cloudflared.',
    )
    expect(waits).toEqual([])
  })

  test('a rejected token is reported without showing it, and not retried', async () => {
    const { tunnels: own, until } = await make()
    await installNgrokStandIn(folder, 'https://127.0.0.1:9', join(folder, 'asked-wrongly.jsonl'))
    await own.setToken('wrong-token')
    await own.start(ngrok)
    const { problem } = await until(({ state }) => state === 'stopped')
    expect(problem).toMatch(/ERR_NGROK_105.*Check the token and account/)
    expect(JSON.stringify(history)).not.toContain('wrong-token')
    expect(waits).toEqual([])
  })
})
