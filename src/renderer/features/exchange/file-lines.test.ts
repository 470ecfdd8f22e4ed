import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { linesOfFile } from './file-lines.ts'

const LONGEST = 40

async function linesOf(file: Blob): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOfFile(file, LONGEST, () => undefined)) lines.push(line)
  return lines
}

const line = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !/[\r\n\ufeff]/.test(text))

test.prop([fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n')])('gives back the lines', async (lines, end) => {
  const file = new Blob([lines.map((text) => text + end).join('')])
  expect(await linesOf(file)).toEqual(lines.map((text) => text.toWellFormed()))
})

test('the last line needs no end, and of one that is too long only the beginning is kept', async () => {
  expect(await linesOf(new Blob(['first\n', 'x'.repeat(3_000_000), '\nlast']))).toEqual(['first', 'x'.repeat(41), 'last'])
})

test('tells how much was read', async () => {
  const file = new Blob(['a line\n', 'another'])
  const told: number[] = []
  for await (const text of linesOfFile(file, LONGEST, (bytes) => told.push(bytes))) expect(text).toContain('a')
  expect(told.at(-1)).toBe(file.size)
})
