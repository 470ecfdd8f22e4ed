/**
 * The input schema of every command with random payloads: it takes or refuses each, and never
 * throws.
 */
import { expect, test } from 'vitest'
import { commands } from '../../src/shared/contract/contract.ts'
import { nativeCommands } from '../../src/shared/contract/native.ts'
import { times } from '../support/long-form.ts'
import { createPayloads } from '../support/random-payloads.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'

const PAYLOADS = times(100, 1_000)
const seed = chooseSeed()
const payloads = createPayloads(createSeededRandom(seed), ['sandbox-test', 'sandbox-live'])

test.each(Object.entries({ ...commands, ...nativeCommands }))(
  `%s takes or refuses any payload, SEED=${seed}`,
  (_name, { input: schema }) => {
    const fitting = Array.from({ length: PAYLOADS / 2 }, () => payloads.fitting(schema))
    // Refinements reject most that fit some schemas.
    for (let tries = 0; tries < 1_000 && !schema.safeParse(fitting[0]).success; tries++)
      fitting[0] = payloads.fitting(schema)
    const damaged = fitting.map((one) => payloads.damaged(one) ?? null)
    const outcomes = [...fitting, ...damaged].map((input) => {
      const { success } = schema.safeParse(JSON.parse(JSON.stringify(input)))
      return success
    })
    expect(outcomes).toContain(true)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  },
)
