import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { BODY_LIMITS } from '../model/settings.ts'
import {
  furtherRefused,
  importFile,
  longestLine,
  type ImportOutcome,
  linePartsOfFile,
} from './import-file.ts'

const LONGEST_LINE = longestLine(BODY_LIMITS.least)
/** Largest message that a window's connection accepts, in bytes. */
const MESSAGE = 16 * 1_048_576

test('a line too long for a message is sent in pieces, and a rejected one is reported by number', async () => {
  const long = [
    '\u0000'.repeat(3_000_000),
    '\ufffd'.repeat(3_000_000),
    '"'.repeat(1_048_577),
    'x'.repeat(LONGEST_LINE),
  ]
  const given = ['{}', ...long, '{}', 'x'.repeat(LONGEST_LINE + 1), '{}']
  const sizes: number[] = []
  const received: string[] = []
  let begun = ''
  const { client } = createAnsweredClient((name, given, message) => {
    if (name === 'settings.get') return { bodyLimit: BODY_LIMITS.least }
    const input = given as { lines: string[]; begun?: string | null; text: string }
    sizes.push(Buffer.byteLength(message))
    if (name === 'exchange.importPiece') {
      begun = (input.begun === null ? '' : begun) + input.text
      return { begun: 'it' }
    }
    const [first = '', ...others] = input.lines
    received.push((input.begun === 'it' ? begun : '') + first, ...others)
    return { imported: input.lines.length, known: 0, refused: [] }
  })
  async function* pieces() {
    for (const line of given) yield await Promise.resolve(new TextEncoder().encode(`${line}\n`))
  }
  let outcome: ImportOutcome | null = null
  for await (const so of importFile(client, pieces(), new AbortController().signal)) outcome = so
  const taken = given.filter(({ length }) => length <= LONGEST_LINE)
  expect(received.map(({ length }) => length)).toEqual(taken.map(({ length }) => length))
  expect(received.every((line, index) => line === taken[index])).toBe(true)
  expect(outcome?.problems.map(({ line }) => line)).toEqual([7])
  expect(outcome).toMatchObject({ lines: 8, refused: 1 })
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE)
})

test('after the first twenty, rejected lines are named in at most twenty ranges', async () => {
  const isRefused = (line: number) => line <= 25 || (line > 30 && line % 2 === 0)
  const { client } = createAnsweredClient((name, input) => {
    if (name === 'settings.get') return { bodyLimit: BODY_LIMITS.least }
    const { lines } = input as { lines: string[] }
    const refused = lines.flatMap((text, line) =>
      isRefused(Number(text)) ? [{ line, reason: 'No.' }] : [],
    )
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
  expect([few.problems.length, furtherRefused(few)]).toEqual([
    20,
    'And 8 more: lines 21–25, 32, 34, 36.',
  ])
  expect(furtherRefused(await outcomeOf(20))).toBe(null)
  const many = await outcomeOf(2_000)
  expect(many.further).toHaveLength(20)
  expect(furtherRefused(many)).toMatch(
    /^And 990 more: lines 21–25, 32, 34, .*, 66, 68, and 966 later ones\.$/,
  )
})

/** Split at arbitrary positions, even inside a character. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  await Promise.resolve()
}

async function linesOf(
  text: string,
  size: number,
  most: number,
): Promise<(string[] | 'too long')[]> {
  const lines: (string[] | 'too long')[] = []
  let line: string[] = []
  for await (const { text: part, ends, isTooLong } of linePartsOfFile(cut(text, size), {
    part: most,
    line: 150_000,
  })) {
    line.push(part)
    if (!ends) continue
    lines.push(isTooLong ? 'too long' : line)
    line = []
  }
  expect(line).toEqual([])
  return lines
}

const line = fc
  .string({ unit: 'binary', maxLength: 12 })
  .filter((text) => !/[\r\n\ufeff]/.test(text))

property.prop([
  fc.array(line, { maxLength: 20 }),
  fc.constantFrom('\n', '\r\n'),
  fc.integer({ min: 1, max: 30 }),
  fc.integer({ min: 2, max: 40 }),
])('returns the lines, in parts of about the requested length', async (lines, end, size, most) => {
  const parts = await linesOf(lines.map((text) => text + end).join(''), size, most)
  expect(parts.map((one) => (one === 'too long' ? one : one.join('')))).toEqual(
    lines.map((text) => text.toWellFormed()),
  )
  expect(parts.flat().every((part) => part.length <= most + 3)).toBe(true)
})

test('the last line needs no line break, a long line is split, and an oversized line is cut off', async () => {
  const text = `\ufefffirst\n${'x'.repeat(3_000_000)}\n${'x'.repeat(100_000)}\nlast`
  expect(await linesOf(text, 65_536, 40_000)).toEqual([
    ['first'],
    'too long',
    ['x'.repeat(40_000), 'x'.repeat(40_000), 'x'.repeat(20_000)],
    ['last'],
  ])
})
