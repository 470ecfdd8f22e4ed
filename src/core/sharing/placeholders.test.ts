import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { Placeholders } from './placeholders.ts'
import { sharedUrl } from './shared-urls.ts'
import { shiftedTime } from './shifted-times.ts'

const make = (key = 7) => new Placeholders(Buffer.alloc(32, key))

const kindsOf = (text: string) =>
  Array.from(text, (one) =>
    /\p{Lu}/u.test(one)
      ? 'A'
      : /\p{L}/u.test(one)
        ? 'a'
        : /\p{N}/u.test(one)
          ? '0'
          : /\p{So}/u.test(one)
            ? '*'
            : one,
  )

property.prop([fc.string({ unit: 'grapheme', maxLength: 40 })])(
  'a placeholder has the kind of each character, and as many bytes in UTF-8',
  (text) => {
    const placeholder = make().text(text)
    expect(Buffer.from(placeholder)).toHaveLength(Buffer.from(text).length)
    expect(kindsOf(placeholder)).toEqual(kindsOf(text))
    expect(make().text(text)).toBe(placeholder)
  },
)

property.prop([fc.uniqueArray(fc.stringMatching(/^\d{4}$/), { minLength: 2, maxLength: 60 })])(
  'equal values stay equal and different ones different, with each key otherwise',
  (values) => {
    const placeholders = make()
    const made = values.map((value) => placeholders.text(value))
    expect(new Set(made).size).toBe(values.length)
    expect(values.map((value) => placeholders.text(value))).toEqual(made)
    for (const [index, value] of values.entries()) expect(made[index]).not.toBe(value)
  },
)

const long = fc.stringMatching(/^[a-z0-9]{12,40}$/)

property.prop([long])('another key makes another placeholder', (value) => {
  expect(make(1).text(value)).not.toBe(make(2).text(value))
})

property.prop([fc.uuid(), fc.string({ maxLength: 8 })])(
  'a UUID stays one of its version, and the same wherever a text has it',
  (uuid, around) => {
    fc.pre(!/[\da-z]/i.test(around))
    const placeholders = make()
    const made = placeholders.text(uuid)
    expect(made).toMatch(/^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect([made[14], made[19]]).toEqual([uuid[14], uuid[19]])
    expect(placeholders.text(`${around}${uuid}${around}`)).toBe(`${around}${made}${around}`)
    expect(placeholders.text(uuid.toUpperCase())).toBe(made.toUpperCase())
  },
)

function isLuhn(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').split('').reverse().map(Number)
  const sum = digits.reduce((total, digit, index) => {
    const twice = digit * 2
    return total + (index % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice)
  }, 0)
  return sum % 10 === 0
}

test.each(['4242424242424242', '4242 4242 4242 4242', 'card 378282246310005.'])(
  'the card number in %s keeps a right check digit',
  (text) => {
    const made = make().text(text)
    expect(isLuhn(made)).toBe(true)
    expect(made).not.toContain('4242')
    expect(made.replaceAll(/\d/g, '0').length).toBe(text.length)
  },
)

property.prop([fc.double({ noNaN: true, noDefaultInfinity: true })])(
  'a number keeps its sign, zeros, point and exponent',
  (value) => {
    const text = String(value)
    const made = make().number(text)
    const shapeOf = (number: string) =>
      number.split('e').with(0, number.split('e')[0]!.replaceAll(/[1-9]/g, '1'))
    expect(shapeOf(made)).toEqual(shapeOf(text))
    expect(Number.isNaN(Number(made))).toBe(false)
  },
)

describe('URLs', () => {
  const placeholders = make()
  const at = (url: string) => sharedUrl(url, placeholders)

  test('are at hooks.example, with the same scheme, port and structure', () => {
    expect(at('http://Api.Acme.com:8443/a//b%20C/?q=1&r=#f')).toMatch(
      /^http:\/\/H[\dA-F]{7}\.hooks\.example:8443\/[a-z]\/\/[a-z]%20[A-Z]\/\?[a-z]=\d&[a-z]=#[a-z]$/,
    )
  })

  test('have equal hosts and parts only where they had', () => {
    const [one, two] = [at('https://a.com/hooks/one'), at('https://b.com/hooks/one?x=1')]
    expect(one.slice(0, 30)).not.toBe(two.slice(0, 30))
    expect(two.split('.example')[1]?.split('?')[0]).toBe(one.split('.example')[1])
  })

  test('hide percent-encoded characters, in the same case', () => {
    const made = at('/x/%73%65%63ret%2f%C3%A9')
    expect(decodeURIComponent(made)).not.toContain('secret')
    expect(made).toMatch(/^\/[a-z]\/(?:%[67][\da-f]){3}[a-z]{3}%2f%C3%[\dA-F]{2}$/)
  })
})

test.each([
  ['1763700000123', '1763786400123'],
  ['1763700000', '1763786400'],
  ['2026-02-28T10:00:00.120Z', '2026-03-01T10:00:00.120Z'],
  ['2026-02-28T10:00:00', '2026-03-01T10:00:00'],
  ['2026-12-31', '2027-01-01'],
  ['Fri, 21 Nov 2025 09:30:00 GMT', 'Sat, 22 Nov 2025 09:30:00 GMT'],
  ['Joe', null],
])('%s is a day later %s', (text, later) => {
  expect(shiftedTime(text, 86_400_000)).toBe(later)
})
