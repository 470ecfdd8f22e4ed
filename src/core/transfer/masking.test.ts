import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MASK } from '../../shared/text/masked.ts'
import { createMasking } from './masking.ts'

test('a compressed body that contains a secret is removed entirely, whatever its header says', async () => {
  const masking = createMasking(['whsec_planted'], [])
  const packed = gzipSync('{"secret":"whsec_planted"}')
  for (const encoding of ['gzip', 'br', null]) {
    const masked = await masking.body(packed, encoding === null ? [] : [['content-encoding', encoding]])
    expect(Buffer.from(masked).toString()).toBe(MASK)
  }
  const other = gzipSync('{}')
  expect(await masking.body(other, [])).toBe(other)
})
