import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { createMask, MASK } from './masked.ts'
import { times } from '../../../test/support/long-form.ts'

const SECRET = 'wh "sec"/<ré&+>'

/** Produced by other tools: `python3 json.dumps / urllib.parse.quote / html.escape / base64`, Go and PHP JSON. */
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

/** The three functions that this one replaced, unchanged, each with its own mark. */
const earlier = {
  export(secrets: readonly string[]) {
    const inBase64 = (bytes: Buffer) =>
      [0, 1, 2].flatMap((shift) => {
        const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
        const own = whole.slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6))
        return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
      })
    const forms = secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret)
      const escaped = JSON.stringify(secret).slice(1, -1)
      return [
        secret,
        escaped,
        JSON.stringify(escaped).slice(1, -1),
        escaped.replaceAll('/', String.raw`\/`),
        encodeURIComponent(secret),
        encodeURIComponent(secret).replaceAll('%20', '+'),
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
        ...inBase64(bytes),
        ...inBase64(Buffer.from(escaped)),
      ].map((form) => Buffer.from(form).toString('latin1'))
    })
    const pattern = new RegExp(
      forms
        .toSorted((one, other) => other.length - one.length)
        .map((form) => RegExp.escape(form))
        .join('|'),
      'g',
    )
    return (text: string) =>
      Buffer.from(
        Buffer.from(text).toString('latin1').replaceAll(pattern, '[masked]'),
        'latin1',
      ).toString()
  },
  check(secrets: readonly string[]) {
    const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    const inOrder = [...new Set(forms)].toSorted((one, other) => other.length - one.length)
    const pattern = new RegExp(inOrder.map((form) => RegExp.escape(form)).join('|'), 'g')
    return (text: string) => text.replaceAll(pattern, '••••')
  },
  api: (secrets: readonly string[]) => (text: string) =>
    secrets
      .toSorted((one, other) => other.length - one.length)
      .reduce(
        (masked, secret) =>
          masked.replaceAll(secret, '••••').replaceAll(JSON.stringify(secret).slice(1, -1), '••••'),
        text,
      ),
}

/** The length that each of them searches for, in characters that every encoding treats differently. */
const secret = fc
  .string({
    unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-+/="\\ü東')),
    minLength: 12,
    maxLength: 40,
  })
  .filter((text) => new Set(text).size > 6)
/** Characters that occur in no secret. */
const other = fc.string({ unit: fc.constantFrom(...Array.from(' .,;:(){}!?$#@~')), maxLength: 20 })
const plainForms = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
)
const allForms = fc.oneof(
  plainForms,
  fc.constantFrom<(text: string) => string>(
    (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
    encodeURIComponent,
    (text) => Buffer.from(text).toString('hex'),
    (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ),
)
const seen = (forms: fc.Arbitrary<(text: string) => string>) =>
  fc
    .tuple(secret, secret, other, other, other, forms, forms)
    .map(([one, two, a, b, c, first, second]) => ({
      secrets: [one, two],
      text: `${a}${first(one)} ${b} ${second(two)}${c}`,
    }))

const marked = (text: string) => text.replaceAll('••••', MASK)

property.prop([seen(plainForms)], { numRuns: times(30, 3_000) })(
  'agrees with the function of the check and of the API',
  ({ secrets, text }) => {
    expect(createMask(secrets).text(text)).toBe(marked(earlier.check(secrets)(text)))
    // The API's version replaced the plain secret first: if the secret's escape contains it, a backslash was left behind.
    const escaped = (known: string) => JSON.stringify(known).slice(1, -1)
    fc.pre(secrets.every((known) => escaped(known) === known || !escaped(known).includes(known)))
    expect(createMask(secrets).text(text)).toBe(marked(earlier.api(secrets)(text)))
  },
)

property.prop([seen(allForms)], { numRuns: times(30, 3_000) })(
  'agrees with the function of the export',
  ({ secrets, text }) => {
    expect(createMask(secrets).text(text)).toBe(earlier.export(secrets)(text))
  },
)
