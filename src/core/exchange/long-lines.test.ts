import { expect, test } from 'vitest'
import { longestLine } from '../../shared/exchange/import-file.ts'
import { createLongLines } from './long-lines.ts'

function create() {
  let next = 0
  const ends: (() => void)[] = []
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      ends.push(resolve)
      signal?.addEventListener('abort', () => {
        resolve()
      })
    })
  const lines = createLongLines({ clock: { sleep }, ids: { next: () => String(next++) }, bodyLimit: () => 1_024 })
  return { lines, passMinute: () => ends.at(-1)?.() }
}

test('a line is put together of its pieces, and then held no more', () => {
  const { lines } = create()
  const name = lines.add(null, '{"body":"AA')
  expect(lines.add(name, 'AA","id":1}')).toBe(name)
  expect(lines.end(name).end()).toEqual({ text: '{"body":"","id":1}', body: Buffer.alloc(3) })
  expect(() => lines.end(name)).toThrow('not held any more')
})

test('another line, a minute, or more than a line can have end it', async () => {
  const { lines, passMinute } = create()
  const first = lines.add(null, 'one')
  const second = lines.add(null, 'two')
  expect(() => lines.add(first, 'more')).toThrow('not held any more')
  passMinute()
  await Promise.resolve()
  expect(() => lines.end(second)).toThrow('not held any more')
  const long = lines.add(null, 'x'.repeat(longestLine(1_024)))
  expect(() => lines.add(long, 'x')).toThrow('The line is longer than the body limit')
})
