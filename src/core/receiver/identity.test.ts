import { readFileSync, readdirSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDeliverer } from '../../../test/support/deliver.ts'
import { connectRaw } from '../../../test/support/raw-http.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import type { Clock } from '../base/deps.ts'
import { Registry } from '../hooks/registry.ts'
import { renewalTime } from './certificates.ts'
import { openIdentity, storedRenewalTime, type TlsIdentity } from './identity.ts'
import { PLAIN_DECISION } from './responses.ts'
import { startReceiver } from './server.ts'

const DAY_MS = 86_400_000

/**
 * Creates a clock set by the test; sleepers wake when it is set. It starts 61 days ago, so that a
 * client with the real time trusts both the first leaf and the second.
 */
function createSetClock(): Clock & { advance(ms: number): void } {
  let now = Date.now() - 61 * DAY_MS
  let sleepers: (() => void)[] = []
  return {
    now: () => now,
    monotonic: () => performance.now(),
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        sleepers.push(resolve)
        signal?.addEventListener('abort', () => {
          resolve()
        })
      }),
    advance(ms) {
      now += ms
      const woken = sleepers
      sleepers = []
      for (const wake of woken) wake()
    },
  }
}

let folder: string
let clock: ReturnType<typeof createSetClock>
const opened: TlsIdentity[] = []
const { log, randomBytes } = testDeps('')
beforeEach(() => {
  folder = temporaryFolder()
  clock = createSetClock()
})
afterEach(() => {
  for (const identity of opened.splice(0)) identity.close()
})

async function openHere(): Promise<TlsIdentity> {
  const identity = await openIdentity({ dataFolder: folder, clock, log, randomBytes })
  opened.push(identity)
  return identity
}

const fileOf = (name: string) => join(folder, 'tls', name)

describe('the identity of a data folder', () => {
  test('is created once and found again', async () => {
    const first = await openHere()
    const second = await openHere()
    expect(second.caPem).toBe(first.caPem)
    expect(second.certificate()).toEqual(first.certificate())
    expect(first.caFile).toBe(fileOf('ca.pem'))
    expect(readdirSync(join(folder, 'tls')).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'ca.key',
      'ca.pem',
      'leaf.key',
      'leaf.pem',
    ])
  })

  test('returns when to renew it without opening it, if readable', async () => {
    expect(await storedRenewalTime(folder)).toBe(null)
    const { cert } = (await openHere()).certificate()
    expect(await storedRenewalTime(folder)).toBe(renewalTime(cert))
    writeFileSync(fileOf('leaf.pem'), 'nonsense')
    expect(await storedRenewalTime(folder)).toBe(null)
  })

  test.skipIf(process.platform === 'win32')(
    'protects its keys from others from the first moment',
    async () => {
      const modes = new Map<string, number>()
      const check = () => {
        for (const name of readdirSync(join(folder, 'tls'))) {
          if (!name.includes('.key')) continue
          try {
            modes.set(name, (modes.get(name) ?? 0) | (statSync(fileOf(name)).mode & 0o777))
          } catch {
            // Renamed between the two reads.
          }
        }
      }
      const watching = watch(folder, { recursive: true }, () => {
        check()
      })
      await openHere()
      check()
      await delay(50)
      watching.close()
      expect(modes.get('ca.key')).toBe(0o600)
      expect(modes.get('leaf.key')).toBe(0o600)
      expect([...modes.values()].every((mode) => mode === 0o600)).toBe(true)
      expect(statSync(join(folder, 'tls')).mode & 0o777).toBe(0o700)
    },
  )

  test.each(['ca.pem', 'ca.key', 'leaf.pem', 'leaf.key'])(
    'is recreated if %s is damaged, truncated or missing',
    async (name) => {
      for (const damage of [
        () => writeFileSync(fileOf(name), 'nonsense'),
        () => writeFileSync(fileOf(name), readFileSync(fileOf(name), 'utf8').slice(0, 120)),
        () => writeFileSync(fileOf(name), ''),
        () => rmSync(fileOf(name)),
      ]) {
        await openHere()
        damage()
        await expectServes(await openHere())
      }
    },
  )

  test("rejects a leaf with another one's key", async () => {
    await openHere()
    const key = readFileSync(fileOf('leaf.key'))
    rmSync(fileOf('leaf.pem'))
    await openHere()
    writeFileSync(fileOf('leaf.key'), key)
    await expectServes(await openHere())
  })

  test('a leaf that is due is renewed at the start, keeping its CA', async () => {
    const first = await openHere()
    const before = first.certificate()
    clock.advance(61 * DAY_MS)
    const second = await openHere()
    expect(second.certificate().cert).not.toBe(before.cert)
    expect(second.caPem).toBe(first.caPem)
  })

  test('survives a clock that is wrong for a while: clients trust the same CA afterwards', async () => {
    const { caPem } = await openHere()
    for (const wrong of [3_650 * DAY_MS, -3_650 * DAY_MS]) {
      clock.advance(wrong)
      expect((await openHere()).caPem).not.toBe(caPem)
      clock.advance(-wrong)
      const right = await openHere()
      expect(right.caPem).toBe(caPem)
      await expectServes(right)
    }
    clock.advance(-DAY_MS)
    expect((await openHere()).caPem).toBe(caPem)
  })
})

function receiverOf(identity: TlsIdentity) {
  return startReceiver({
    identity,
    clock,
    log,
    host: '127.0.0.1',
    port: 0,
    httpPort: null,
    take: () => Promise.resolve({ ...PLAIN_DECISION, onAnswered: () => undefined }),
    judgeStream: new Registry().judgeStream,
  })
}

async function expectServes(identity: TlsIdentity) {
  const receiver = await receiverOf(identity)
  const deliverer = createDeliverer(identity.caFile)
  const { status } = await deliverer.send(`https://127.0.0.1:${receiver.port}/`, {
    body: '{}',
    headers: [],
  })
  deliverer.close()
  await receiver.close()
  expect(status).toBe(200)
}

test('a leaf is renewed while the server runs, and open connections stay', async () => {
  const identity = await openHere()
  const receiver = await receiverOf(identity)
  const url = `https://127.0.0.1:${receiver.port}`
  const before = await connectRaw(url, identity.caFile)
  before.write('POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n')
  expect(await before.status()).toBe(200)
  const serialOf = async () => {
    const connection = await connectRaw(url, identity.caFile)
    const { serialNumber } = (connection.socket as TLSSocket).getPeerCertificate()
    connection.socket.destroy()
    return serialNumber
  }
  const serial = await serialOf()

  clock.advance(61 * DAY_MS)
  const renewed = await new Promise<string>((resolve) => {
    identity.onRenewed(({ cert }) => {
      resolve(cert)
    })
  })
  expect(identity.certificate().cert).toBe(renewed)
  expect(await serialOf()).not.toBe(serial)
  before.write('POST /again HTTP/1.1\r\nContent-Length: 0\r\n\r\n')
  await expect.poll(() => before.received().match(/HTTP\/1\.1 200/g)?.length).toBe(2)
  before.socket.destroy()
  await receiver.close()
})
