/** How a file is cut into calls: each small enough for a message, whatever stands in its lines. */
import { expect, test } from 'vitest'
import type { Client } from '../rpc/client.ts'
import { importLines, LONGEST_LINE, type ImportOutcome } from './import-lines.ts'

/** Largest message that a window's connection takes in, in bytes. */
const MESSAGE = 16 * 1_048_576

test('a line that would not fit into a message goes in pieces, one of no export is refused with its number', async () => {
  const long = ['\u0000'.repeat(5_000_000), '\ufffd'.repeat(8_000_000), '"'.repeat(1_048_577), 'x'.repeat(16_000_000)]
  const given = ['{}', ...long, '{}', 'x'.repeat(LONGEST_LINE + 1), '{}']
  const sizes: number[] = []
  const came: string[] = []
  let begun = ''
  const client = {
    call(name: string, input: { lines: string[]; begun?: string | null; text: string }) {
      sizes.push(new TextEncoder().encode(JSON.stringify(input)).length)
      if (name === 'exchange.importPiece') {
        begun = (input.begun === null ? '' : begun) + input.text
        return Promise.resolve({ begun: 'it' })
      }
      const [first = '', ...others] = input.lines
      came.push((input.begun === 'it' ? begun : '') + first, ...others)
      return Promise.resolve({ imported: input.lines.length, known: 0, refused: [] })
    },
  } as unknown as Client
  async function* lines() {
    yield* given
    await Promise.resolve()
  }
  let outcome: ImportOutcome | null = null
  for await (const so of importLines(client, lines(), new AbortController().signal)) outcome = so
  expect(came.map(({ length }) => length)).toEqual(given.map(({ length }) => (length > LONGEST_LINE ? 0 : length)))
  expect(came.filter((_, index) => index !== 6).every((line, index) => line === given[index < 6 ? index : index + 1])).toBe(true)
  expect(outcome?.problems.map(({ line }) => line)).toEqual([7])
  expect(outcome).toMatchObject({ lines: 8, refused: 1 })
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE)
})
