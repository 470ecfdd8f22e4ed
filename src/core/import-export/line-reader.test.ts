import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { LineReader } from './line-reader.ts'

function read(line: string, cuts: readonly number[] = []) {
  const reader = new LineReader({ line: line.length, text: line.length })
  let from = 0
  for (const cut of [
    ...cuts.map((at) => at % (line.length + 1)).sort((a, b) => a - b),
    line.length,
  ]) {
    reader.add(line.slice(from, cut))
    from = cut
  }
  return reader.end()
}

const cuts = fc.array(fc.nat(), { maxLength: 12 })
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('body', '"body":"', '\\', '\\"', '{', '}'),
)
/** JSON spellings of a string. */
const spellings: readonly ((literal: string) => string)[] = [
  (literal) => literal,
  (literal) => literal.replaceAll('/', String.raw`\/`),
  (literal) =>
    literal.replaceAll('+', String.raw`\u002b`).replaceAll('body', String.raw`\u0062ody`),
]

property.prop([
  fc.dictionary(text, fc.jsonValue()),
  fc.uint8Array({ maxLength: 200 }),
  fc.dictionary(text, fc.jsonValue()),
  fc.constantFrom(...spellings),
  cuts,
])(
  'the body is decoded, and everything else stays the same',
  (before, bytes, after, spelling, at) => {
    const body = Buffer.from(bytes).toString('base64')
    const lineOf = (value: string) => {
      const parts = [
        JSON.stringify(without(before)).slice(1, -1),
        spelling(`"body":"${value}"`),
        JSON.stringify(without(after)).slice(1, -1),
      ]
      return `{ ${parts.filter((part) => part !== '').join(' , ')} }`
    }
    const contents = read(lineOf(body), at)
    // As text, because V8's JSON.parse can confuse keys with escapes.
    expect(contents.text).toBe(lineOf(''))
    expect(contents.body?.equals(bytes)).toBe(true)
  },
)

/** Lines with `body` as another member than the outermost object's. */
function without({ body: _, ...rest }: Readonly<Record<string, unknown>>) {
  return { ...rest, nested: { body: 'kept' } }
}

const base64ish = fc.string({ unit: fc.constantFrom(...Array.from('AZaz09+/=-_ \n')) })
property.prop([base64ish, cuts])("a body that isn't Base64 isn't decoded", (body, at) => {
  const isBase64 = body.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(body)
  const contents = read(JSON.stringify({ body }), at)
  expect(contents.body === null ? null : [...contents.body]).toEqual(
    isBase64 ? [...Buffer.from(body, 'base64')] : null,
  )
})

property.prop([fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\ body1AAAA')) }), cuts])(
  "a line that isn't JSON stays unchanged",
  (line, at) => {
    const isJson = (json: string | null) => {
      try {
        return [JSON.parse(json ?? '')].length
      } catch {
        return 0
      }
    }
    const contents = read(line, at)
    if (contents.body !== null) expect(isJson(contents.text)).toBe(isJson(line))
  },
)

test('of two bodies the later one counts, as in JSON', () => {
  expect(read('{"body":"QQ==","body":"Qg=="}').body).toEqual(Buffer.from('B'))
})

test('a line with too much besides its body is not held', () => {
  const reader = new LineReader({ line: 1_000_000, text: 100 })
  reader.add(`{"body":"${'A'.repeat(400)}",`)
  for (let piece = 0; piece < 10; piece++) reader.add('x'.repeat(50))
  expect(reader.end()).toMatchObject({ text: null, body: { length: 300 } })
})
