/**
 * The handler check against typical handlers: correct ones in two languages pass every case; handlers with one defect fail exactly
 * the cases about it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { conclude } from '../../src/core/check/conclude.ts'
import { prepareCheck, type CheckInput } from '../../src/core/check/prepare-check.ts'
import { createGuard } from '../../src/core/outgoing/wire/guarded-sender.ts'
import { createAdmission } from '../../src/core/outgoing/admit.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { scoreOf, type CheckResult } from '../../src/shared/model/check.ts'
import {
  REGISTERED_URL,
  SECRET,
  startHandler,
  startPythonHandler,
  type Defect,
} from '../support/check-handlers.ts'

const guard = createGuard({
  clock: systemClock,
  resolve: () => Promise.reject(new Error('No name is looked up here.')),
  caPem: null,
  ownPorts: () => new Set(),
})
const { admit } = createAdmission({ guard, known: null })

function inputFor(target: string, more: Partial<CheckInput> = {}): CheckInput {
  return {
    target,
    registeredUrl: REGISTERED_URL,
    secret: SECRET,
    hookId: null,
    prefix: 'service',
    ack: '200',
    headers: {},
    events: [],
    only: [],
    skip: [],
    rate: 10_000,
    seed: 7,
    live: true,
    targetCa: null,
    consent: { allowHosts: [], live: true },
    ...more,
  }
}

async function check(target: string, more?: Partial<CheckInput>): Promise<CheckResult[]> {
  const prepared = await prepareCheck({ clock: systemClock, admit }, inputFor(target, more))
  const results: CheckResult[] = []
  await prepared.run((result) => results.push(result), new AbortController().signal)
  expect(results.map(({ name }) => name)).toEqual(prepared.cases.map(({ name }) => name))
  return results
}

function told(results: readonly CheckResult[]) {
  const namesOf = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ name }) => name)
  return {
    failed: namesOf('fail'),
    skipped: namesOf('skip').length,
    causes: conclude(results).map(({ cause }) => cause),
  }
}

test.concurrent(
  'a handler that only rejects ids it has seen fails every case about forging',
  async () => {
    const handler = await startHandler('rejects-only-repeats')
    const { failed } = told(await check(handler.url))
    await handler.close()
    expect(failed).toEqual(
      expect.arrayContaining([
        ...['altered-body', 'wrong-secret', 'single-pass', 'host-url', 'no-signature'],
        ...['no-timestamp', 'spelling', 'stale', 'future', 'seconds', 'no-number'],
      ]),
    )
  },
)

test.concurrent.each([
  ['TypeScript', () => startHandler()],
  [
    'TypeScript that rejects an id with other content',
    () => startHandler('rejects-changed-repeats'),
  ],
  ['Python', startPythonHandler],
] as const)('a correct handler in %s passes every case', async (_language, start) => {
  const handler = await start()
  const results = await check(handler.url)
  await handler.close()
  expect(
    results.filter(({ outcome }) => outcome !== 'pass').map(({ name, message }) => [name, message]),
  ).toEqual([])
  expect(scoreOf(results)).toBe(100)
})

const forged = [
  'altered-body',
  'wrong-secret',
  'single-pass',
  'host-url',
  'no-signature',
  'no-timestamp',
  'spelling',
]
const time = ['stale', 'future', 'seconds', 'no-number']
/** If the first delivery is rejected, only deliveries that should have been rejected and weren't are judged. */
const refused = 37

test.concurrent.each<readonly [Defect, readonly string[], number, string]>([
  ['single-hash', ['first-delivery', 'single-pass'], refused, 'single-pass'],
  ['reserialised', ['escapes', 'numbers', 'layout'], 0, 'reserialised'],
  ['no-timestamp-check', time, 0, 'no-time'],
  ['host-url', ['first-delivery', 'host-url'], refused, 'host-url'],
  ['answers-first', [...forged, ...time, 'answers-after-reading'], 0, 'answers-first'],
  ['never-checks', [...forged, ...time], 0, 'no-check'],
])(
  'for a handler with the defect %s, exactly that defect is found',
  async (defect, failed, skipped, cause) => {
    const handler = await startHandler(defect)
    const results = await check(handler.url)
    await handler.close()
    expect(told(results)).toEqual({ failed, skipped, causes: [cause] })
  },
)

test.concurrent.each<readonly [Defect, string]>([
  ['writes-like-python', 'body:spaced-escaped'],
  ['url-left-out', 'url:missing'],
  ['decodes-its-secret', 'secret:base64-decoded'],
])(
  'for a handler that rejects all valid deliveries, %s is found by the forgeries it accepts',
  async (defect, cause) => {
    const handler = await startHandler(defect)
    const results = await check(handler.url)
    await handler.close()
    expect(told(results)).toEqual({
      failed: ['first-delivery'],
      skipped: 38,
      causes: ['other-recipe'],
    })
    expect(results[0]?.finding?.cause).toBe(cause)
    expect(results[0]?.exchanges.map(({ got }) => got.status)).toEqual([401, 200])
  },
)

const refusals = [...forged, ...time]

test.concurrent.each<readonly [Defect, readonly string[], readonly string[], readonly string[]]>([
  ['always-fails', ['first-delivery'], [], ['fails']],
  ['redirects', ['first-delivery'], [], ['redirects']],
  ['fails-once-checked', ['first-delivery'], refusals, ['fails']],
  ['answers-204', ['first-delivery'], refusals, ['not-acknowledged']],
  ['takes-all-with-204', ['first-delivery', ...refusals], [], ['not-acknowledged', 'no-check']],
])(
  "a handler that neither accepts nor rejects the first delivery (%s) isn't reported as rejecting it",
  async (defect, failed, passed, causes) => {
    const handler = await startHandler(defect)
    const results = await check(handler.url)
    await handler.close()
    const found = told(results)
    expect([found.failed, found.causes]).toEqual([failed, causes])
    const right = results.filter(({ outcome }) => outcome === 'pass').map(({ name }) => name)
    expect(right.filter((name) => refusals.includes(name))).toEqual(passed)
    expect(conclude(results)[0]?.message).not.toContain('rejects a valid')
  },
)

test.concurrent.each<readonly [Defect, readonly string[], string | null]>([
  ['null-offer', ['crashes'], null],
  ['single-hash-then-null-offer', ['single-pass', 'crashes'], 'passes:once'],
  ['null-offer-then-single-hash', ['crashes', 'single-pass'], 'passes:once'],
])(
  'for a handler with two mistakes (%s), the likely first cause comes first',
  async (defect, causes, recipe) => {
    const handler = await startHandler(defect)
    const results = await check(handler.url)
    await handler.close()
    expect(conclude(results).map(({ cause }) => cause)).toEqual(causes)
    expect(results[0]?.crash).toEqual({ field: 'offer', status: 500 })
    expect(results[0]?.finding?.cause ?? null).toBe(recipe)
    const crash = conclude(results).find(({ cause }) => cause === 'crashes')
    expect(crash?.message).toContain('500 when `offer` is null')
    expect(scoreOf(results)).toBeNull()
  },
)

/** An endpoint whose status only depends on the request's number, from 0. */
async function checkAnswering(
  statusOf: (place: number) => number,
  more?: Partial<CheckInput>,
): Promise<CheckResult[]> {
  let place = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(statusOf(place++)).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, more)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const onlyFirst: Partial<CheckInput> = { only: ['first-delivery'] }

test.concurrent.each<
  readonly [string, (place: number) => number, Partial<CheckInput>, readonly string[]]
>([
  ['500 once, then 200', (place) => (place === 0 ? 500 : 200), {}, ['fails', 'no-check']],
  ['401 once, then 200', (place) => (place === 0 ? 401 : 200), {}, ['unsteady', 'no-check']],
  [
    '401 once, then 200, to the first case only',
    (place) => (place === 0 ? 401 : 200),
    onlyFirst,
    ['unsteady'],
  ],
  ['500 and 200 alternately', (place) => (place % 2 === 0 ? 500 : 200), {}, ['fails']],
  [
    '500 and 200 alternately, to the first case only',
    (place) => (place % 2 === 0 ? 500 : 200),
    onlyFirst,
    ['fails'],
  ],
  ['401 and 200 alternately', (place) => (place % 2 === 0 ? 401 : 200), {}, ['unsteady']],
  // Random, but the same each time.
  ['401 or 200', (place) => ((place * 7) % 5 < 3 ? 401 : 200), {}, ['unsteady']],
])(
  'a handler that returns %s to everything gets no signing recipe',
  async (_name, statusOf, more, causes) => {
    const results = await checkAnswering(statusOf, more)
    expect(told(results).causes).toEqual(causes)
    expect(results[0]?.finding).toBeNull()
  },
)
