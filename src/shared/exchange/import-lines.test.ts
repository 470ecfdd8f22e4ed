/** How a file is cut into calls: each small enough for a message, whatever stands in its lines. */
import { expect, test } from 'vitest'
import type { Client } from '../rpc/client.ts'
import { importLines, type ImportOutcome } from './import-lines.ts'

/** Largest message that a window's connection takes in, in bytes. */
const MESSAGE = 16 * 1_048_576

test('a line that would not fit into a message is refused here, with its number, and the others are sent', async () => {
  const sizes: number[] = []
  const client = {
    call: (_: string, input: { lines: string[] }) => {
      sizes.push(new TextEncoder().encode(JSON.stringify(input)).length)
      return Promise.resolve({ imported: input.lines.filter((line) => line === '{}').length, known: 0, refused: [] })
    },
  } as unknown as Client
  async function* lines() {
    // Written into a message, each of these takes several times as many bytes as it has characters.
    yield* [
      '{}',
      '\u0000'.repeat(5_000_000),
      '{}',
      '\ufffd'.repeat(8_000_000),
      '"'.repeat(12_000_000),
      '{}',
      'x'.repeat(16_000_000),
    ]
    await Promise.resolve()
  }
  let outcome: ImportOutcome | null = null
  for await (const so of importLines(client, lines(), new AbortController().signal)) outcome = so
  expect(outcome).toMatchObject({ lines: 7, imported: 3, refused: 4 })
  expect(outcome?.problems.map(({ line }) => line)).toEqual([2, 4, 5, 7])
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE)
})
