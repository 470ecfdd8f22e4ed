import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { createMask } from './mask.ts'
import { MASK } from './masked-places.ts'
import { times } from '../../../test/support/long-form.ts'

const SECRET = 'wh "sec"/<ré&+>'

/**
 * Spellings by other tools: `python3 json.dumps / urllib.parse.quote / html.escape / base64`, Go
 * and PHP JSON.
 */
const spellings: readonly (readonly [string, string])[] = [
  ['as it is', SECRET],
  ['in JSON', String.raw`wh \"sec\"/<ré&+>`],
  ['in JSON by Python', String.raw`wh \"sec\"/<r\u00e9&+>`],
  ['in JSON by .NET', String.raw`wh \"sec\"/<r\u00E9&+>`],
  ['in JSON by Go', String.raw`wh \"sec\"/\u003cré\u0026+\u003e`],
  ['in JSON by PHP', String.raw`wh \"sec\"\/<r\u00e9&+>`],
  ['in JSON in JSON', String.raw`wh \\\"sec\\\"/<ré&+>`],
  ['in a URL', 'wh%20%22sec%22%2F%3Cr%C3%A9%26%2B%3E'],
  ['in a URL in lower case', 'wh%20%22sec%22%2f%3cr%c3%a9%26%2b%3e'],
  ['in a form', 'wh+%22sec%22%2F%3Cr%C3%A9%26%2B%3E'],
  ['in HTML', 'wh &quot;sec&quot;/&lt;ré&amp;+&gt;'],
  ['in HTML by Go', 'wh &#34;sec&#34;/&lt;ré&amp;+&gt;'],
  ['in JSON by System.Text.Json', String.raw`wh \u0022sec\u0022/\u003Cr\u00E9\u0026\u002B\u003E`],
  [
    'in JSON in JSON by .NET',
    String.raw`wh \\u0022sec\\u0022/\\u003Cr\\u00E9\\u0026\\u002B\\u003E`,
  ],
  ['in JavaScript', String.raw`wh \x22sec\x22/\x3Cré\x26\x2B\x3e`],
  ['in a URL by Python, which keeps slashes', 'wh%20%22sec%22/%3Cr%C3%A9%26%2B%3E'],
  ['in a URL in a URL', 'wh%2520%2522sec%2522%252F%253Cr%25C3%25A9%2526%252B%253E'],
  ['in HTML by OWASP', 'wh &#34;sec&#34;&#x2f;&lt;r&#233;&amp;&#43;&gt;'],
  ['in JSON in HTML', 'wh \\&quot;sec\\&quot;/&lt;r\\u00e9&amp;&#x2B;&gt;'],
  ['in hex', '77682022736563222f3c72c3a9262b3e'],
  ['in hex, upper case', '77682022736563222F3C72C3A9262B3E'],
  ['as the bytes of a header', Buffer.from(SECRET).toString('latin1')],
]

describe('a secret is hidden', () => {
  test.each(spellings)('%s', (_, spelled) => {
    expect(createMask([SECRET]).text(`before ${spelled} after`)).toBe(`before ${MASK} after`)
  })

  test('in Base64 at each possible offset', () => {
    const { text } = createMask(['whsec_0123456789abcdef'])
    for (const before of ['', 'a', 'ab', 'abc']) {
      const encoded = Buffer.from(`${before}whsec_0123456789abcdef${before}`).toString('base64')
      expect(text(encoded)).toContain(MASK)
      expect(
        Buffer.from(text(encoded).replaceAll(/\[masked\]/g, ''), 'base64').toString(),
      ).not.toContain('0123')
    }
  })

  test('in Base64 in lines, escaped or not', () => {
    const { text } = createMask(['whsec_0123456789abcdef+/=?'])
    const lines = Buffer.from(`${'padding '.repeat(6)}whsec_0123456789abcdef+/=?`).toString(
      'base64',
    )
    for (const width of [60, 64, 70, 76])
      for (const end of ['\n', '\r\n', String.raw`\n`, String.raw`\r\n`]) {
        const masked = text(lines.replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${end}`))
        expect(masked).toContain(MASK)
      }
  })

  test('as a whole if a shorter one begins like it', () => {
    expect(createMask(['secret-1', 'secret-1-and-more']).text('secret-1-and-more')).toBe(MASK)
  })

  test('from six characters on: a shorter one occurs inside words', () => {
    expect(createMask(['abcdef']).text('x-key: abcdef')).toBe(`x-key: ${MASK}`)
    expect(createMask(['', 's', 'abcde']).text('x-keys: abcde')).toBe('x-keys: abcde')
  })
})

test('a text without a secret stays unchanged', () => {
  for (const text of ['', 'plain', '{"a":[1]}', SECRET.slice(1)])
    expect(createMask([SECRET]).text(text)).toBe(text)
  expect(createMask([]).text('anything')).toBe('anything')
})

/** Secrets of characters that every encoding treats differently. */
const secret = fc
  .string({
    unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-+/="\\ü東')),
    minLength: 12,
    maxLength: 40,
  })
  .filter((text) => new Set(text).size > 6)
/** Characters that occur in no secret. */
const other = fc.string({ unit: fc.constantFrom(...Array.from(' .,;:(){}!?$#@~')), maxLength: 20 })
const form = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  encodeURIComponent,
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
)
const used = fc.tuple(secret, form).map(([plain, spell]) => ({ plain, spelled: spell(plain) }))

property.prop([used, used, other, other, other], { numRuns: times(60, 6_000) })(
  'two secrets in any spelling are hidden, and nothing else is',
  (one, two, before, between, after) => {
    const { text } = createMask([one.plain, two.plain])
    const hidden = String.raw`\[masked\]\w?`
    expect(text(`${before}${one.spelled} ${between} ${two.spelled}${after}`)).toMatch(
      new RegExp(
        `^${RegExp.escape(before)}${hidden} ${RegExp.escape(between)} ${hidden}${RegExp.escape(after)}$`,
      ),
    )
  },
)

property.prop([used, other, other, fc.nat(60)], { numRuns: times(60, 6_000) })(
  'a text is masked before it is cut: no part of a secret is left at the cut',
  ({ plain, spelled }, before, after, most) => {
    const whole = `${before}${spelled}${after}`
    const mask = createMask([plain])
    expect(mask.text(whole).startsWith(mask.text(whole, most).replace(/\[masked\]$/, ''))).toBe(
      true,
    )
  },
)
