/**
 * Tunnels with fake tools: scripts that print what `cloudflared` and `ngrok` print; the first
 * really forwards requests to the receiver. The real services are never called.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
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
import { Registry } from '../hooks/registry.ts'
import { PLAIN_DECISION } from '../receiver/responses.ts'
import { createProbes } from '../receiver/probes.ts'
import { startReceiver, type Receiver } from '../receiver/server.ts'
import { createEventHub } from '../base/event-hub.ts'
import { systemClock } from '../base/system-clock.ts'
import { isAlive } from '../base/processes.ts'
import { BRIEF, storeInFolder } from '../../../test/support/in-folder.ts'
import { testAddress } from './test-address.ts'
import { openTunnels, type Tunnels } from './tunnels.ts'

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
  receiver = await startReceiver({
    identity,
    clock: systemClock,
    log,
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    async take(request) {
      const probed = probes.answerTo(request)
      if (probed === null) stored++
      return probed ?? { ...PLAIN_DECISION, status: 204, onAnswered: () => undefined }
    },
    judgeStream: new Registry().judgeStream,
  })
})

afterAll(async () => {
  await receiver.close()
  identity.close()
})

let tunnels: Tunnels | null = null
let publicUrl: string | null
let history: TunnelStatus[]
beforeEach(() => {
  publicUrl = null
  history = []
})
afterEach(async () => {
  await tunnels?.close()
  tunnels = null
})

/** Requests to a fake tunnel's URL go to its port, because its name doesn't exist. */
async function send(standIn: StandIn, url: string) {
  const start = (await standIn.starts()).find(({ address }) => address === url)
  const sender = createSender({
    authorities: [identity.caPem],
    monotonic: () => systemClock.monotonic(),
  })
  return testAddress(url, {
    clock: systemClock,
    probes,
    sender: {
      send: (request) =>
        sender.send({
          ...request,
          url: start === undefined ? request.url : request.url.replace(url, start.origin),
        }),
    },
  })
}

const hub = createEventHub()
hub.on('tunnels.changed', (changed) => history.push(changed))
let made = 0
async function make(mode = 'works', dataFolder = temporaryFolder()) {
  const standIn = await installStandIn(join(folder, `made-${++made}`), mode)
  const status = (): ReceiverStatus => ({
    state: 'listening',
    url: `https://127.0.0.1:${receiver.port}`,
    httpUrl: null,
    publicUrl,
    problem: null,
  })
  const store = await storeInFolder(dataFolder, BRIEF)
  tunnels = await openTunnels({
    store,
    dataFolder,
    caFile: identity.caFile,
    env: { ...standIn.env, COUNTERSIGN_KEY: 'sk' },
    capture: {
      status,
      setPublicUrl: (url) => {
        publicUrl = url
        return Promise.resolve(status())
      },
    },
    test: (url) => send(standIn, url),
    hub,
  })
  return { tunnels, standIn, dataFolder, store }
}

/** Waits until the system notices that the process has ended. */
async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10)
}

describe('cloudflared', () => {
  test('connects the service to the receiver over verified HTTPS and stores nothing of the test', async () => {
    const { tunnels: own, standIn, dataFolder } = await make()
    const up = await own.start('cloudflared', null)
    expect(up).toMatchObject({ state: 'up', provider: 'cloudflared', problem: null })
    expect(up.url).toMatch(ADDRESS)
    expect(publicUrl).toBe(up.url)
    expect(await own.test()).toMatchObject({ outcome: 'reached', url: up.url, status: 200 })
    expect(own.status().test).toMatchObject({ outcome: 'reached' })
    expect(stored).toBe(0)
    const [start] = await standIn.starts()
    expect(start?.args).toEqual([
      ...['tunnel', '--config', join(dataFolder, 'cloudflared.yml'), '--no-autoupdate'],
      ...['--url', `https://127.0.0.1:${receiver.port}`],
      ...['--origin-ca-pool', identity.caFile, '--origin-server-name', 'localhost'],
    ])
    expect(start?.env).not.toContain('COUNTERSIGN_KEY')
    expect(await own.stop()).toMatchObject({ state: 'stopped', url: null, problem: null })
    await untilGone(start?.pid ?? 0)
    expect(publicUrl).toBeNull()
    expect(own.status().earlier).toEqual([up.url])
    expect(
      history.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]),
    ).toEqual(['starting', 'up', 'stopped'])
  })

  test('that ends by itself is reported, and its URL is no longer the public one', async () => {
    const { tunnels: own, standIn } = await make()
    const { url } = await own.start('cloudflared', null)
    process.kill((await standIn.starts())[0]?.pid ?? 0, 'SIGKILL')
    await expect.poll(() => own.status().state).toBe('stopped')
    expect(own.status()).toMatchObject({
      problem: expect.stringMatching(/^cloudflared stopped\./),
      earlier: [url],
    })
    expect(publicUrl).toBeNull()
  })

  test('leaves a public URL that the user set meanwhile, and the next one replaces the running one', async () => {
    const { tunnels: own, standIn } = await make()
    const first = await own.start('cloudflared', null)
    const second = await own.start('cloudflared', null)
    const [one] = await standIn.starts()
    await untilGone(one?.pid ?? 0)
    expect(second.url).not.toBe(first.url)
    expect(second.earlier).toEqual([first.url])
    publicUrl = 'https://hooks.example.com'
    await own.stop()
    expect(publicUrl).toBe('https://hooks.example.com')
  })

  test('whose URL was the public one in the last run is cleared at the start', async () => {
    const { tunnels: own, dataFolder, store } = await make()
    const { url } = await own.start('cloudflared', null)
    await own.close()
    await store.close()
    expect(publicUrl).toBe(url)
    await make('works', dataFolder)
    expect(publicUrl).toBeNull()
  })

  test('that reports no URL is an error with its last output', async () => {
    const { tunnels: own } = await make('refused')
    await expect(own.start('cloudflared', null)).rejects.toMatchObject({
      code: 'TUNNEL_UNAVAILABLE',
      message: expect.stringMatching(/^cloudflared stopped\. .*429 Too Many Requests/),
    })
    expect(own.status()).toMatchObject({
      state: 'stopped',
      problem: expect.stringContaining('429'),
    })
  })

  test('that is still starting can be stopped, and leaves nothing running', async () => {
    const { tunnels: own, standIn } = await make('silent')
    const starting = own.start('cloudflared', null)
    const refusal = starting.catch((error: unknown) => error)
    while ((await standIn.starts()).length === 0) await sleep(10)
    expect(own.status().state).toBe('starting')
    await own.stop()
    expect(await refusal).toMatchObject({ message: 'The tunnel was stopped.' })
    await untilGone((await standIn.starts())[0]?.pid ?? 0)
    expect(own.status().state).toBe('stopped')
  })

  test('problems of a proxy that changes requests or responses are explained', async () => {
    for (const [mode, outcome, message] of [
      ['alters', 'altered', /changes the path \(\/… arrived as \/v2\/…\)/],
      ['mute', 'no-answer', /doesn't come back unchanged\. It arrived as 500\./],
    ] as const) {
      const { tunnels: own } = await make(mode)
      await own.start('cloudflared', null)
      expect(await own.test()).toMatchObject({
        outcome,
        message: expect.stringMatching(message),
      })
      await own.close()
    }
  })

  test('ends with the process that started it, even if that is killed', async () => {
    const standIn = await installStandIn(join(folder, 'killed'))
    const start = `import { startProgram } from ${JSON.stringify(new URL('tunnel-tools.ts', import.meta.url).href)}
      startProgram('cloudflared', ['tunnel', '--config', '/dev/null', '--url', 'http://127.0.0.1:9'], ${JSON.stringify(standIn.env)})`
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', start], {
      stdio: 'ignore',
    })
    while ((await standIn.starts()).length === 0) await sleep(20)
    const pid = (await standIn.starts())[0]?.pid ?? 0
    expect(isAlive(pid)).toBe(true)
    starter.kill('SIGKILL')
    await untilGone(pid)
  })
})

describe('ngrok', () => {
  test('that is missing is reported with where to get it; without a URL there is nothing to test', async () => {
    const { tunnels: own } = await make()
    await expect(own.start('ngrok', null)).rejects.toMatchObject({
      code: 'TUNNEL_UNAVAILABLE',
      message:
        "ngrok isn't installed on this computer. Get it from https://ngrok.com/download, then start the tunnel again.",
    })
    await expect(own.test()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test("connects with the user's own configuration, on a domain of the account", async () => {
    const { tunnels: own, standIn } = await make()
    const asked = join(folder, 'asked.txt')
    await installNgrokStandIn(standIn.folder, 'https://given.ngrok.test', asked)
    expect((await own.start('ngrok', null)).url).toBe('https://given.ngrok.test')
    expect((await own.start('ngrok', 'me.example.dev')).url).toBe('https://me.example.dev')
    const args = `http https://127.0.0.1:${receiver.port} --log stdout --log-format logfmt`
    expect(await readFile(asked, 'utf8')).toBe(`${args}\n${args} --url https://me.example.dev\n`)
  })
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
