import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { linesOfFile } from './file-lines.ts'

const LONGEST = 40

/** Cut wherever it comes, in the middle of a character too. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  await Promise.resolve()
}

async function linesOf(text: string, size: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOfFile(cut(text, size), LONGEST)) lines.push(line)
  return lines
}

const line = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !/[\r\n\ufeff]/.test(text))

test.prop([fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 30 })])(
  'gives back the lines',
  async (lines, end, size) => {
    expect(await linesOf(lines.map((text) => text + end).join(''), size)).toEqual(lines.map((text) => text.toWellFormed()))
  },
)

test('the last line needs no end, and of one that is too long only the beginning is kept', async () => {
  expect(await linesOf(`first\n${'x'.repeat(3_000_000)}\nlast`, 65_536)).toEqual(['first', 'x'.repeat(41), 'last'])
})
