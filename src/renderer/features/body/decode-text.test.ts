import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'
import { times } from '../../../../test/support/long-form.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('the text of a body', () => {
  test('marks each invalid byte, and finds the first', () => {
    const read = decodeText(
      new Uint8Array([...utf8('{"naïve":"'), 0xff, 0xe9, ...utf8('"}')]),
      false,
      null,
    )
    expect(read.text).toBe('{"naïve":"\udcff\udce9"}')
    expect(read.invalid).toEqual({ count: 2, byte: 11, at: 10 })
    expect(read.binary).toBe(false)
  })

  test('rejects overlong forms, surrogates and code points beyond the last', () => {
    for (const wrong of [
      [0xc0, 0x80],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf8, 0x88],
    ])
      expect(decodeText(bytes(...wrong), false, null).invalid?.count).toBe(wrong.length)
  })

  test('omits an incompletely loaded character at the end, and marks it if nothing follows', () => {
    const [first = 0, second = 0] = utf8('é')
    expect(decodeText(bytes(65, first), true, null)).toMatchObject({ text: 'A', invalid: null })
    expect(decodeText(bytes(0xff, 65, first), true, null)).toMatchObject({
      text: '\udcffA',
      invalid: { count: 1 },
    })
    expect(decodeText(bytes(65, first), false, null)).toMatchObject({
      text: 'A\udcc3',
      invalid: { count: 1, byte: 1 },
    })
    expect(decodeText(bytes(65, first, second), false, null).text).toBe('Aé')
  })

  test('is decoded with the named charset', () => {
    expect(decodeText(bytes(0x63, 0xe9), false, 'ISO-8859-1')).toMatchObject({
      text: 'cé',
      charset: 'windows-1252',
      invalid: null,
    })
    expect(decodeText(bytes(0x63, 0x00), false, 'utf-16le').text).toBe('c')
    expect(decodeText(bytes(0xff, 0xfe, 0x63, 0x00), false, null)).toMatchObject({
      text: '\ufeffc',
      charset: 'utf-16le',
    })
    expect(decodeText(utf8('é'), false, 'klingon')).toMatchObject({
      text: 'é',
      charset: 'utf-8',
      charsetUnknown: true,
    })
  })

  test("is binary if most of it isn't text", () => {
    expect(
      decodeText(
        Uint8Array.from({ length: 256 }, (_, value) => value),
        false,
        null,
      ).binary,
    ).toBe(true)
    expect(decodeText(utf8('text\n\twith a \u001b colour'), false, null).binary).toBe(false)
  })

  property.prop([fc.uint8Array({ maxLength: 200 })], { numRuns: times(30, 3_000) })(
    'neither loses nor invents bytes',
    (given) => {
      const { text, invalid } = decodeText(given, false, 'utf-8')
      const back: number[] = []
      let marks = 0
      for (const character of text) {
        const code = character.codePointAt(0) ?? 0
        if (code >= 0xdc80 && code <= 0xdcff) {
          back.push(code - 0xdc00)
          marks++
        } else back.push(...utf8(character))
      }
      expect(back).toEqual([...given])
      expect(invalid?.count ?? 0).toBe(marks)
    },
  )
})
