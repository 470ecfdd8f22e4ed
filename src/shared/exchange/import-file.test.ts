/** How a file is cut into calls: each small enough for a message, whatever stands in its lines. */
import { expect, test } from 'vitest'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { BODY_LIMITS } from '../model/settings.ts'
import { furtherRefused, importFile, longestLine, type ImportOutcome } from './import-file.ts'

const LONGEST_LINE = longestLine(BODY_LIMITS.most)
/** Largest message that a window's connection takes in, in bytes. */
const MESSAGE = 16 * 1_048_576

test('a line that would not fit into a message goes in pieces, one of no export is refused with its number', async () => {
  const long = ['\u0000'.repeat(5_000_000), '\ufffd'.repeat(8_000_000), '"'.repeat(1_048_577), 'x'.repeat(16_000_000)]
  const given = ['{}', ...long, '{}', 'x'.repeat(LONGEST_LINE + 1), '{}']
  const sizes: number[] = []
  const came: string[] = []
  let begun = ''
  const { client } = createAnsweredClient((name, given, message) => {
    if (name === 'settings.get') return { bodyLimit: BODY_LIMITS.most }
    const input = given as { lines: string[]; begun?: string | null; text: string }
    sizes.push(Buffer.byteLength(message))
    if (name === 'exchange.importPiece') {
      begun = (input.begun === null ? '' : begun) + input.text
      return { begun: 'it' }
    }
    const [first = '', ...others] = input.lines
    came.push((input.begun === 'it' ? begun : '') + first, ...others)
    return { imported: input.lines.length, known: 0, refused: [] }
  })
  async function* pieces() {
    for (const line of given) yield await Promise.resolve(new TextEncoder().encode(`${line}\n`))
  }
  let outcome: ImportOutcome | null = null
  for await (const so of importFile(client, pieces(), new AbortController().signal)) outcome = so
  const taken = given.filter(({ length }) => length <= LONGEST_LINE)
  expect(came.map(({ length }) => length)).toEqual(taken.map(({ length }) => length))
  expect(came.every((line, index) => line === taken[index])).toBe(true)
  expect(outcome?.problems.map(({ line }) => line)).toEqual([7])
  expect(outcome).toMatchObject({ lines: 8, refused: 1 })
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE)
})

test('lines that are refused after the first twenty are named in ranges, of which there are at most twenty', async () => {
  const isRefused = (line: number) => line <= 25 || (line > 30 && line % 2 === 0)
  const { client } = createAnsweredClient((name, input) => {
    if (name === 'settings.get') return { bodyLimit: BODY_LIMITS.least }
    const { lines } = input as { lines: string[] }
    const refused = lines.flatMap((text, line) => (isRefused(Number(text)) ? [{ line, reason: 'No.' }] : []))
    return { imported: lines.length - refused.length, known: 0, refused }
  })
  const outcomeOf = async (count: number) => {
    const text = Array.from({ length: count }, (_, line) => String(line + 1)).join('\n')
    async function* pieces() {
      yield await Promise.resolve(new TextEncoder().encode(text))
    }
    let outcome: ImportOutcome | null = null
    for await (const so of importFile(client, pieces())) outcome = so
    return outcome!
  }
  const few = await outcomeOf(36)
  expect([few.problems.length, furtherRefused(few)]).toEqual([20, 'And 8 more: lines 21–25, 32, 34, 36.'])
  expect(furtherRefused(await outcomeOf(20))).toBe(null)
  const many = await outcomeOf(2_000)
  expect(many.further).toHaveLength(20)
  expect(furtherRefused(many)).toMatch(/^And 990 more: lines 21–25, 32, 34, .*, 66, 68, and 966 after those\.$/)
})
