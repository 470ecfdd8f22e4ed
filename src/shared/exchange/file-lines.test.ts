import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { linePartsOfFile } from './file-lines.ts'

/** Cut wherever it comes, in the middle of a character too. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  await Promise.resolve()
}

/** The lines, each as its parts. */
async function linesOf(text: string, size: number, most: number): Promise<(string[] | 'too long')[]> {
  const lines: (string[] | 'too long')[] = []
  let line: string[] = []
  for await (const { text: part, ends, isTooLong } of linePartsOfFile(cut(text, size), { part: most, line: 150_000 })) {
    line.push(part)
    if (!ends) continue
    lines.push(isTooLong ? 'too long' : line)
    line = []
  }
  expect(line).toEqual([])
  return lines
}

const line = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !/[\r\n\ufeff]/.test(text))

test.prop([
  fc.array(line, { maxLength: 20 }),
  fc.constantFrom('\n', '\r\n'),
  fc.integer({ min: 1, max: 30 }),
  fc.integer({ min: 2, max: 40 }),
])('gives back the lines, in parts of about the length asked for', async (lines, end, size, most) => {
  const parts = await linesOf(lines.map((text) => text + end).join(''), size, most)
  expect(parts.map((one) => (one === 'too long' ? one : one.join('')))).toEqual(lines.map((text) => text.toWellFormed()))
  expect(parts.flat().every((part) => part.length <= most + 3)).toBe(true)
})

test('the last line needs no end, a long one comes in parts, and the rest of one that is too long is left out', async () => {
  const text = `\ufefffirst\n${'x'.repeat(3_000_000)}\n${'x'.repeat(100_000)}\nlast`
  expect(await linesOf(text, 65_536, 40_000)).toEqual([
    ['first'],
    'too long',
    ['x'.repeat(40_000), 'x'.repeat(40_000), 'x'.repeat(20_000)],
    ['last'],
  ])
})
