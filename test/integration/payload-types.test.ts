import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { typesText } from '../../src/core/types/types.ts'
import { eventTypes, shownEventTypes } from '../../src/shared/service/event-type.ts'
import type { ShownEventType } from '../../src/shared/service/event-type.ts'
import { checkPayload } from '../../src/shared/service/payload.ts'
import { hasPython } from '../support/python.ts'
import { sandbox, sandboxForEachTest } from '../support/sandbox-fixture.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

sandboxForEachTest()

type Payload = Record<string, unknown>

/** Payloads of an event as the sandbox sends them, every second one as accounts in test mode do. */
async function payloadsOf(event: ShownEventType, count: number): Promise<Payload[]> {
  const environment = event === 'program.status' ? 'sandbox-live' : 'sandbox-test'
  const made: Payload[] = []
  for (let seed = 0; seed < count; seed++) {
    const { events } = await sandbox.preview({ event, environment, seed, observed: seed % 2 === 1 })
    made.push(events.find((sent) => sent.event === event)?.payload ?? {})
  }
  return made
}

function ran(folder: string, program: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')

function compiled(code: string) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'payloads.ts'), typesText('typescript'))
  writeFileSync(
    join(folder, 'handler.ts'),
    `import type { EventPayloads, WebhookEvent } from './payloads'\n${code}`,
  )
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUnusedLocals', 'false']
  return ran(folder, process.execPath, [tsc, '--ignoreConfig', '--noEmit', ...strict, 'handler.ts'])
}

test('every payload of the sandbox fits its TypeScript type, and an event decides the payload', async () => {
  const payloads = await Promise.all(
    shownEventTypes.map(async (event) =>
      (await payloadsOf(event, 2)).map(
        (payload, place) =>
          `export const ${event.replaceAll('.', '_')}_${place}: EventPayloads['${event}'] = ${JSON.stringify(payload)}`,
      ),
    ),
  )
  const handler = `export function cashback(event: WebhookEvent): number {
  if (event.type === 'transaction.auth.qualified') return event.payload.offer.cashback
  if (event.type === 'transaction.auth') return event.payload.offer?.cashback ?? 0
  return event.type === 'card.linked' ? event.payload.expYear : 0
}`
  expect(compiled([...payloads.flat(), handler].join('\n'))).toEqual({ status: 0, said: '' })
})

test('TypeScript rejects fields that the payload of the event does not have', () => {
  const wrong = [
    ["event.type === 'card.linked' ? event.payload.amount : 0", "'amount' does not exist"],
    ["event.type === 'transaction.auth' ? event.payload.offer.id : 0", 'possibly'],
    ["event.type === 'card.lost' ? 1 : 0", 'no overlap'],
    ["event.type === 'credits.balance.low' ? event.payload.id : 0", 'unknown'],
  ] as const
  const { status, said } = compiled(
    wrong
      .map(
        ([expression], index) => `export const f${index} = (event: WebhookEvent) => ${expression}`,
      )
      .join('\n'),
  )
  expect(status).not.toBe(0)
  const errors = said.split('\n').filter((line) => line.startsWith('handler.ts('))
  expect(errors.map((line) => line.slice(0, 'handler.ts(2'.length))).toEqual(
    wrong.map((_, index) => `handler.ts(${index + 2}`),
  )
  for (const [index, [, reason]] of wrong.entries()) expect(errors[index]).toContain(reason)
})

/** Ignores formats: the patterns alone must reject what the app reports. */
function validators() {
  const schema = JSON.parse(typesText('json-schema')) as Payload
  const formats = { uuid: true, 'date-time': true, uri: true } as const
  const ajv = new Ajv2020({ formats, allErrors: true }).addSchema(schema, 'payloads')
  const validator = (reference: string) => ajv.compile({ $ref: `payloads${reference}` })
  return {
    ofAny: validator('#'),
    of: (event: string) => validator(`#/$defs/${event}`),
  }
}

/** Returns the path of every field, except in objects with keys of the client's choosing. */
function pathsOf(value: unknown, before: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...before, name]
    return name === 'metadata' ? [path] : [path, ...pathsOf(field, path)]
  })
}

function damaged(payload: Payload, path: readonly string[], value: unknown): Payload {
  const copy = structuredClone(payload)
  const last = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Payload, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

/** Wrong values of any type, and texts that are almost an ID, a time, a URL, a zone or a code. */
const odd = [
  ...[undefined, null, 7, 1.5, 'odd', [], {}, '', ' ', 'Ab1', '12345', '1234567'],
  ...['2026-02-30T10:00:00.000Z', '2026-02-28T24:00:00.000Z', '2026-02-28T10:00:00.0000Z'],
  ...['2026-02-28T10:00:00.000Z', '2026-02-28T10:00:00.000Z ', 'x2026-02-28T10:00:00.000Z'],
  ...['2026-13-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', '2026-02-29T10:00:00'],
  ...['5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001', 'x5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'],
  ...['https://', 'https:///', '//cdn.example/x', ' https://a.example', 'http://a b/'],
  ...['https://a.example/my logo.png?x#y', 'Europe/', '/London', 'UTC', 'Etc/GMT+1', '+01:00'],
]

test('the JSON Schema accepts 220 payloads of the sandbox with new fields, and rejects what the app reports as an error', async () => {
  const { of, ofAny } = validators()
  for (const event of shownEventTypes) {
    const validate = of(event)
    const payloads = await payloadsOf(event, 20)
    for (const payload of payloads) {
      expect([validate({ ...payload, new: 1 }), validate.errors]).toEqual([true, null])
      expect(ofAny(payload)).toBe(true)
    }
    const [payload = {}] = payloads
    for (const path of pathsOf(payload))
      for (const value of odd) {
        const wrong = damaged(payload, path, value)
        const isOk = checkPayload(event, JSON.stringify(wrong)).outcome === 'ok'
        expect([event, path, value, validate(wrong)]).toEqual([event, path, value, isOk])
      }
  }
  expect(ofAny({})).toBe(false)
})

test('only a refund may lack its offer', async () => {
  const { of } = validators()
  const lacking: string[] = []
  for (const event of shownEventTypes.filter((name) => name.startsWith('transaction.'))) {
    const [payload = {}] = await payloadsOf(event, 1)
    if (of(event)(damaged(payload, ['offer'], undefined))) lacking.push(event)
  }
  expect(lacking).toEqual(['transaction.refund'])
})

test('the JSON Schema defines every event', () => {
  const { of } = validators()
  expect(eventTypes.map((event) => typeof of(event))).toEqual(eventTypes.map(() => 'function'))
})

test("the OpenAPI document has a webhook per event, and passes Redocly's recommended rules", async () => {
  const text = typesText('openapi')
  const problems = await lintFromString({
    source: text,
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended'] }),
  })
  // The service's license is its own business.
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(['info-license'])
  const { webhooks, components } = JSON.parse(text) as {
    webhooks: Record<string, unknown>
    components: { parameters: Record<string, { name: string }>; responses: unknown }
  }
  expect(Object.keys(webhooks)).toEqual(eventTypes)
  expect(Object.values(components.parameters).map(({ name }) => name)).toEqual([
    'x-service-signature',
    'x-service-timestamp',
  ])
  expect(JSON.stringify(components.responses)).toContain(
    'no response within 20 seconds, is a failure. The service makes 3 attempts in total, 60 and 120 seconds apart',
  )
})

function pythonFolder(script: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'payloads.py'), typesText('python'))
  writeFileSync(join(folder, 'script.py'), script)
  return folder
}

test.skipIf(!hasPython())('the Python module compiles and runs', () => {
  const folder = pythonFolder(
    'import payloads\nprint(payloads.Transaction.__optional_keys__ >= {"originalTransactionId"})\n',
  )
  execFileSync('python3', ['-m', 'py_compile', 'payloads.py'], { cwd: folder })
  expect(ran(folder, 'python3', ['script.py'])).toEqual({ status: 0, said: 'True\n' })
})

test('mypy accepts the Python module and a handler, and rejects a wrong field', ({ skip }) => {
  skip(!hasPython('mypy'), 'mypy is not installed here')
  const handler = (field: string) => `from payloads import WebhookEvent

def cashback(event: WebhookEvent) -> float:
    if event["type"] == "transaction.auth.qualified":
        return event["payload"]["offer"]["${field}"]
    return 0
`
  const check = (field: string) =>
    ran(pythonFolder(handler(field)), 'python3', ['-m', 'mypy', '--strict', 'script.py'])
  expect(check('cashback')).toMatchObject({ status: 0 })
  expect(check('amount')).toMatchObject({
    status: 1,
    said: expect.stringContaining('has no key "amount"'),
  })
})

test('pydantic reads every payload of the sandbox as its event, and rejects a damaged one', async ({
  skip,
}) => {
  skip(!hasPython('pydantic'), 'pydantic is not installed here')
  const events: { type: string; payload: Payload }[] = []
  for (const type of shownEventTypes)
    for (const payload of await payloadsOf(type, 4)) events.push({ type, payload })
  const [first = { type: '', payload: {} }] = events
  const folder = pythonFolder(`import json
from pydantic import TypeAdapter, ValidationError
from payloads import WebhookEvent

adapter = TypeAdapter(WebhookEvent)
valid, *others = json.load(open("events.json"))
for event in [valid, *others]:
    read = adapter.validate_python(event, strict=True)
    assert read["type"] == event["type"]
del valid["payload"]["id"]
try:
    adapter.validate_python(valid)
except ValidationError:
    print("rejected")
`)
  writeFileSync(join(folder, 'events.json'), JSON.stringify([first, ...events]))
  expect(ran(folder, 'python3', ['script.py'])).toEqual({ status: 0, said: 'rejected\n' })
})
