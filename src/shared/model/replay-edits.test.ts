import { describe, expect, test } from 'vitest'
import { tamperSchema } from './send.ts'
import { signedUrlOf } from './replay-edits.ts'

describe('the URL that is actually signed', () => {
  test('differs for tampering with the URL', () => {
    expect(signedUrlOf('https://example.com/h', 'url')).toBe('https://example.com/h?other=1')
    expect(signedUrlOf('https://example.com/h?q=1', 'url')).toBe(
      'https://example.com/h?q=1&other=1',
    )
  })

  test('is the given URL with any other tampering, and without tampering', () => {
    const kinds = [null, ...tamperSchema.options.filter((kind) => kind !== 'url')]
    expect(new Set(kinds.map((kind) => signedUrlOf('https://example.com/h', kind)))).toEqual(
      new Set(['https://example.com/h']),
    )
  })
})
