/**
 * Every command of the contract with random payloads, as the app's own page could send them: valid ones reach
 * the handler parsed; all others get a typed error and change nothing on disk.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { openForReading } from '../../src/core/store/open.ts'
import { commands } from '../../src/shared/contract/contract.ts'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import { nativeCommands } from '../../src/shared/contract/native.ts'
import { createRouter, type Handlers, type NativeHandlers } from '../../src/shared/rpc/router.ts'
import {
  createMemoryPair,
  type ResponseMessage,
  type Transport,
} from '../../src/shared/rpc/transport.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { times } from '../support/long-form.ts'
import { createPayloads } from '../support/random-payloads.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { waitForDeliveries } from '../support/captured.ts'

const PAYLOADS = times(100, 1_000)
const QUIET_MS = 250
const everyCommand: readonly (readonly [string, z.ZodType])[] = [
  ...Object.entries(commands),
  ...Object.entries(nativeCommands),
].map(([name, { input }]) => [name, input])

/** Sends texts as a page does; resolves with the responses in order. */
function createPage(
  transport: Transport,
): (command: string, inputs: readonly unknown[]) => Promise<ResponseMessage[]> {
  const waiting = new Map<number, (response: ResponseMessage) => void>()
  transport.onMessage((text) => {
    const message = JSON.parse(text) as ResponseMessage | { readonly kind: 'event' }
    if (message.kind === 'response') waiting.get(message.id)?.(message)
  })
  let id = 0
  return (command, inputs) =>
    Promise.all(
      inputs.map(
        (input) =>
          new Promise<ResponseMessage>((resolve) => {
            waiting.set(++id, resolve)
            transport.send(JSON.stringify({ kind: 'request', id, command, input }))
          }),
      ),
    )
}

/** The contents of the data folder: each table's rows and each other file, without logs and the search index. */
function fingerprintOf(folder: string): Record<string, string> {
  const hash = (bytes: string | Buffer) =>
    createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const file = join(folder, name)
    // These come and go, even between listing and reading.
    if (name.startsWith('logs') || /-(wal|shm)$|search/.test(name) || !statSync(file).isFile())
      continue
    if (!name.endsWith('.db')) found[name] = hash(readFileSync(file))
    else {
      const db = openForReading(file)
      const tables = db
        .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .pluck()
        .all()
      for (const table of tables) {
        const rows = db.prepare<[], unknown[]>(`SELECT * FROM "${table}"`).raw().all()
        found[`${name}: ${table}`] = `${rows.length} rows, ${hash(JSON.stringify(rows))}`
      }
      db.close()
    }
  }
  return found
}

/** The fingerprint once nothing has changed for a second: a new core still stores ports and keys after it listens. */
async function quietFingerprint(folder: string): Promise<Record<string, string>> {
  let [found, seconds] = [fingerprintOf(folder), 0]
  while (seconds < 1) {
    await delay(QUIET_MS)
    const next = fingerprintOf(folder)
    seconds = isDeepStrictEqual(next, found) ? seconds + QUIET_MS / 1_000 : 0
    found = next
  }
  return found
}

test('random payloads of every command: valid ones are handled, all others change nothing', async () => {
  const { core, client, dataFolder, bugs } = await coreInFolder({ threads: true })
  // Something to destroy: two hooks with a delivery each.
  const { hook } = await client.call('sandbox.sample', {})
  await client.call('sandbox.sample', {})
  const items = await waitForDeliveries(client, 2)

  const seed = chooseSeed()
  const payloads = createPayloads(createSeededRandom(seed), [
    hook.id,
    ...items.map(({ id }) => id),
    'sandbox-test',
    'sandbox-live',
  ])

  const handled: { command: string; input: unknown }[] = []
  const record = (names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(
      names.map((command) => [
        command,
        async (input: unknown) => (handled.push({ command, input }), {}),
      ]),
    )
  const router = createRouter({
    handlers: record(Object.keys(commands)) as Handlers,
    native: record(Object.keys(nativeCommands)) as NativeHandlers,
    keptConsent: () => ({ allowHosts: [], live: [] }),
    reportBug: (error) => String(error),
  })
  const [recorded, recording] = createMemoryPair()
  router.connect(recording)
  const [own, far] = createMemoryPair()
  const disconnect = core.connect(far)
  const [toRecorder, toCore] = [createPage(recorded), createPage(own)]

  const counts = { commands: 0, handled: 0, rejected: 0 }
  const before = await quietFingerprint(dataFolder)
  for (const [command, schema] of everyCommand) {
    const fitting = Array.from({ length: PAYLOADS / 2 }, () => payloads.fitting(schema))
    // Refinements reject most that fit some schemas.
    for (let tries = 0; tries < 1_000 && !schema.safeParse(fitting[0]).success; tries++)
      fitting[0] = payloads.fitting(schema)
    const damaged = fitting.map((one) => payloads.damaged(one) ?? null)
    const inputs = [...fitting, ...damaged].map(
      (input) => JSON.parse(JSON.stringify(input)) as unknown,
    )
    const parsed = inputs.map((input) => schema.safeParse(input))
    const valid = parsed.flatMap((result) => (result.success ? [result.data] : []))
    const invalid = inputs.filter((_, index) => parsed[index]?.success === false)

    // The recorder gets all payloads: only the valid ones reach a handler, parsed. Compared as text, which is much
    // faster than comparing values.
    const outcomes = await toRecorder(command, inputs)
    const wrong = inputs.find((_, index) => outcomes[index]?.ok !== parsed[index]?.success)
    expect(wrong, `${command}, SEED=${seed}`).toBeUndefined()
    const expected = valid.map((input) => JSON.stringify({ command, input }))
    expect(
      handled
        .splice(0)
        .map((call) => JSON.stringify(call))
        .join('\n') === expected.join('\n'),
      `${command}, SEED=${seed}`,
    ).toBe(true)

    // The real core gets the invalid payloads.
    const code = Object.hasOwn(nativeCommands, command) ? 'UNSUPPORTED' : 'INVALID_INPUT'
    const others = (await toCore(command, invalid)).filter(
      (response) => response.ok || response.error.code !== code,
    )
    expect(others, `${command}, SEED=${seed}`).toEqual([])
    counts.commands++
    counts.handled += valid.length
    counts.rejected += invalid.length
    expect(valid.length, `${command} has valid payloads`).toBeGreaterThan(0)
  }
  expect(fingerprintOf(dataFolder), `SEED=${seed}`).toEqual(before)
  expect(bugs).toEqual([])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  disconnect()
  console.log(
    `${counts.commands} commands: ${counts.handled} payloads handled, ${counts.rejected} rejected without effect`,
  )
})

test('unknown commands and malformed messages have no effect', async () => {
  const { core, dataFolder, bugs } = await coreInFolder({ threads: true })
  const [own, far] = createMemoryPair()
  const disconnect = core.connect(far)
  const ask = createPage(own)
  const before = await quietFingerprint(dataFolder)
  for (const name of [
    '',
    'app',
    'app.status ',
    'App.Status',
    '__proto__',
    'constructor',
    'toString',
    'native.exec',
    'hasOwnProperty',
  ])
    for (const response of await ask(name, [{}, null, []]))
      expect(response, name).toMatchObject({
        ok: false,
        error: { code: 'UNKNOWN_COMMAND' satisfies ErrorCode },
      })

  let answered = 0
  own.onMessage(() => answered++)
  const none = [
    '',
    '{',
    'null',
    '[]',
    '1',
    '{"kind":"request"}',
    '{"kind":"request","id":"1","command":"app.status","input":{}}',
  ]
  for (const text of [...none, '{"kind":"cancel","id":1e400}', '['.repeat(5_000)]) own.send(text)
  await ask('app.status', [{}])
  expect(answered).toBe(1)
  expect(fingerprintOf(dataFolder)).toEqual(before)
  expect(bugs).toEqual([])
  disconnect()
})
