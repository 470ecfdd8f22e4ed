import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { shownEventTypes, type ShownEventType } from './event-type.ts'
import { createCheck } from './field-check.ts'
import { observedIn } from './observed.ts'
import { payloadSchemas } from './payload-schemas.ts'

/** Values that payloads have, or nearly. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(
    '',
    'EUR',
    '1234',
    '123456',
    '2029-04-01T00:00:00.000Z',
    '2029-04-02T00:00:00.000Z',
    '2029-02-30T00:00:00.000Z',
    '2029-04-01T00:00:00Z',
    '2026-04-01T13:37:00',
    '2026-04-31T13:37:00',
    'https://example.com/x',
    'https://',
    '7f3c2f0e-9d43-4d2a-9a75-0b6a3f1c2d4e',
    '7F3C2F0E-9D43-0D2A-0A75-0B6A3F1C2D4E',
    1.5,
    1e21,
    Number.POSITIVE_INFINITY,
    null,
    [],
    {},
  ),
)
const edits = fc.array(
  fc.record({ at: fc.nat(), deeper: fc.boolean(), value: fc.option(values, { nil: undefined }) }),
  { maxLength: 6 },
)

type Payload = Record<string, unknown>

/** Replaces or removes a field, of the payload or of an object in it. */
function edit(
  payload: Payload,
  { at, deeper, value }: { at: number; deeper: boolean; value?: unknown },
) {
  const name = Object.keys(payload)[at % Object.keys(payload).length] ?? 'id'
  const inner = payload[name]
  if (deeper && typeof inner === 'object' && inner !== null && !Array.isArray(inner))
    edit(inner as Payload, { at: Math.floor(at / 7), deeper, value })
  else if (value === undefined) delete payload[name]
  else payload[name] = value
}

/**
 * Returns zod's findings, which checks the sandbox's objects with these schemas, without observed
 * mismatches.
 */
function failuresByZod(event: ShownEventType, value: unknown) {
  const observed = observedIn(event).map(({ path }) => path)
  const issues = payloadSchemas[event].safeParse(value).error?.issues ?? []
  return issues.map(({ path }) => path.join('.')).filter((path) => !observed.includes(path))
}

property.prop([fc.constantFrom(...shownEventTypes), edits, fc.option(values, { nil: undefined })])(
  'failures are those of zod, and as many as are counted',
  (event, changes, whole) => {
    const payload = structuredClone(samplePayloads[event]) as Payload
    for (const change of changes) edit(payload, change)
    for (const value of [payload, whole]) {
      const { check, count } = createCheck(payloadSchemas[event], observedIn(event))
      const { failures } = check(value)
      expect(count(value)).toBe(failures.length)
      const observed = observedIn(event).map(({ path }) => path)
      const others = failures.map(({ path }) => path).filter((path) => !observed.includes(path))
      expect(others).toEqual(failuresByZod(event, value))
    }
  },
)
