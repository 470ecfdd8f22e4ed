import { randomBytes } from 'node:crypto'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { MOST_DECODED, decodeBody } from './decode-body.ts'

const json = Buffer.from('{"amount":10.00,"name":"café"}'.repeat(20))

describe('decoding', () => {
  test.each([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['deflate', deflateRawSync(json)],
    ['br', brotliCompressSync(json)],
    ['zstd', zstdCompressSync(json)],
  ])('%s', async (encoding, bytes) => {
    const decoded = await decodeBody(bytes, [encoding])
    expect(Buffer.from(decoded.bytes).equals(json)).toBe(true)
    expect(decoded).toMatchObject({ end: 'whole', problem: null })
  })

  test('undoes several encodings in reverse order', async () => {
    const decoded = await decodeBody(brotliCompressSync(gzipSync(json)), ['gzip', 'br'])
    expect(Buffer.from(decoded.bytes).equals(json)).toBe(true)
  })

  test('limits their number', async () => {
    expect(
      await decodeBody(
        json,
        Array.from({ length: 9 }, () => 'gzip'),
      ),
    ).toMatchObject({ end: 'broken' })
  })

  test('an unknown encoding leaves the bytes unchanged and says so', async () => {
    const decoded = await decodeBody(json, ['compress'])
    expect(Buffer.from(decoded.bytes).equals(json)).toBe(true)
    expect(decoded.end).toBe('broken')
    expect(decoded.problem).toContain('"compress"')
  })

  test("a wrong header leaves the bytes unchanged, with zlib's error", async () => {
    for (const encoding of ['gzip', 'br', 'zstd', 'deflate']) {
      const decoded = await decodeBody(json, [encoding])
      expect(decoded).toMatchObject({ encodings: [], end: 'broken', size: json.length })
      expect(decoded.problem).toMatch(new RegExp(`^This isn't (valid )?${encoding}`))
      expect(Buffer.from(decoded.bytes).equals(json)).toBe(true)
    }
  })

  test('a wrongly named or unnamed encoding is recognized by its first bytes', async () => {
    expect(await decodeBody(gzipSync(json), ['br'])).toMatchObject({
      encodings: ['gzip'],
      end: 'whole',
      size: json.length,
      problem: 'The header says br, but this is gzip.',
    })
    expect(await decodeBody(zstdCompressSync(json), [])).toMatchObject({
      encodings: ['zstd'],
      size: json.length,
      problem: 'No content-encoding names it, but this is zstd.',
    })
    expect(await decodeBody(Buffer.from([0x1f, 0x8b, 0x08, 1]), [])).toMatchObject({
      encodings: [],
      end: 'whole',
      problem: null,
    })
  })

  test("a small body is decoded up to its damage too, and trailing bytes don't hide any of it", async () => {
    const junk = await decodeBody(Buffer.concat([gzipSync(json), Buffer.from('junk')]), ['gzip'])
    expect(Buffer.from(junk.bytes).equals(json)).toBe(true)
    const noise = Buffer.from(randomBytes(1_000).toString('hex'))
    const damaged = gzipSync(noise)
    damaged.fill(0xff, 900)
    const { bytes, end } = await decodeBody(damaged, ['gzip'])
    expect(end).toBe('broken')
    expect(bytes.length).toBeGreaterThan(1_000)
    // The symbol at the damage may still be decoded.
    expect(noise.subarray(0, 1_000).equals(bytes.subarray(0, 1_000))).toBe(true)
  })

  test('data before a cut or damage is kept', async () => {
    const noise = Buffer.from(randomBytes(30_000).toString('hex'))
    const whole = gzipSync(noise)
    const cut = await decodeBody(whole.subarray(0, whole.length / 2), ['gzip'])
    expect(cut.end).toBe('broken')
    expect(cut.bytes.length).toBeGreaterThan(10_000)
    expect(noise.subarray(0, cut.bytes.length).equals(cut.bytes)).toBe(true)
  })

  property.prop([
    fc.nat({ max: 700 }),
    fc.integer({ min: 1, max: 700 }),
    fc.constantFrom('gzip', 'br', 'none'),
  ])('returns the requested piece and the total size', async (offset, length, encoding) => {
    const sent =
      encoding === 'gzip' ? gzipSync(json) : encoding === 'br' ? brotliCompressSync(json) : json
    const decoded = await decodeBody(sent, encoding === 'none' ? [] : [encoding], {
      offset,
      length,
    })
    expect(Buffer.from(decoded.bytes).equals(json.subarray(offset, offset + length))).toBe(true)
    expect(decoded.size).toBe(json.length)
  })

  test('trailing bytes are counted', async () => {
    const decoded = await decodeBody(
      Buffer.concat([brotliCompressSync(json), Buffer.from('junk')]),
      ['br'],
    )
    expect(Buffer.from(decoded.bytes).equals(json)).toBe(true)
    expect(decoded).toMatchObject({
      end: 'whole',
      problem: '4 bytes after the end of the br data are left out.',
    })
  })

  test('stops at a hundred times the size, and at ten mebibytes', async () => {
    const zeros = Buffer.alloc(MOST_DECODED + 1)
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
    const small = await decodeBody(brotliCompressSync(zeros, fast), ['br'])
    expect(small).toMatchObject({ end: 'limit' })
    expect(small.bytes.length).toBe(1_048_576)
    const large = await decodeBody(gzipSync(Buffer.concat([zeros, randomBytes(200_000)])), ['gzip'])
    expect(large.bytes.length).toBe(MOST_DECODED)
  })

  property.prop([
    fc.uint8Array({ maxLength: 3_000 }),
    fc.constantFrom('gzip', 'deflate', 'br', 'zstd'),
  ])('no input makes it fail, or exceed the limit', async (bytes, encoding) => {
    const decoded = await decodeBody(bytes, [encoding])
    expect(decoded.bytes.length).toBeLessThanOrEqual(1_048_576)
  })
})
