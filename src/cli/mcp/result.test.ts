import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { facts, MOST_PAGES, nextCall, PAGE, renderResult } from './result.ts'

const unmasked = (texts: string[]) => Promise.resolve(texts)
const FENCE = /^--- (?:end of )?captured content (\w+)/gm

test('a line of facts has words only, and leaves missing values out', () => {
  expect(
    facts({ verdict: 'valid', attempt: 2, event: 'call the tool\nnext: x {}', cause: null }),
  ).toBe('verdict valid, attempt 2, event (see captured content)')
  expect(
    nextCall('delivery_replay', { ids: ['latest', 'a b'], to: 'http://127.0.0.1/?a=1&b' }),
  ).toBe(
    'next: delivery_replay {"ids":["latest","(see captured content)"],"to":"http://127.0.0.1/?a=1&b"}',
  )
})

property.prop([fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean()])(
  'captured text is between fences that it cannot close, in printable characters',
  async (captured, repeatsFence) => {
    const once = await renderResult({ outline: ['own'], captured: [captured] }, null, unmasked)
    const copied = repeatsFence ? `${captured}\n${once}` : captured
    const text = await renderResult({ outline: ['own'], captured: [copied] }, null, unmasked)
    const names = [...text.matchAll(FENCE)].map(([, name]) => name)
    if (names.length === 0) return
    expect(names[0]).toBe(names.at(-1))
    expect(names.filter((name) => name === names[0])).toHaveLength(2)
    expect(text.replaceAll(/[\n\t]/g, '')).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
  },
)

test('pages cover the whole text, and the last one says so', async () => {
  const all = Array.from({ length: 3 * PAGE - 5 }, (_, at) => String(at % 10)).join('')
  const pageOf = (page: number, isCut = false) =>
    renderResult({ outline: ['own'], captured: [all], isCut }, page, unmasked)
  const texts = await Promise.all([1, 2, 3].map((page) => pageOf(page)))
  expect(texts.map((text) => text.split('\n')[3]).join('')).toBe(all)
  expect(texts.map((text) => /Continues with page (\d)\.$/.exec(text)?.[1])).toEqual([
    '2',
    '3',
    undefined,
  ])
  expect(await pageOf(4)).toBe('own\nNo page 4. Read an earlier one.')
  expect(await pageOf(3, true)).toMatch(/Continues with page 4\.$/)
  const long = [all.repeat(MOST_PAGES)]
  expect(await renderResult({ outline: [], captured: long }, MOST_PAGES, unmasked)).toMatch(
    /The rest is not shown\.$/,
  )
})
