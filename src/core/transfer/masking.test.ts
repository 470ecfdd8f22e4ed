import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MASK } from '../../shared/text/masked.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'
import { writeHarEntry } from './har-entry.ts'
import { createMasking, maskedDelivery, standardNames } from './masking.ts'

test('a compressed body that contains a secret is removed entirely, whatever its header says', async () => {
  const masking = createMasking(['whsec_planted'], standardNames([]))
  const packed = gzipSync('{"secret":"whsec_planted"}')
  for (const encoding of ['gzip', 'br', null]) {
    const masked = await masking.body(
      packed,
      encoding === null ? [] : [['content-encoding', encoding]],
    )
    expect(Buffer.from(masked).toString()).toBe(MASK)
  }
  const other = gzipSync('{}')
  expect(await masking.body(other, [])).toBe(other)
})

test('our own response is exported as HAR, with the secrets in it masked', () => {
  const body = Buffer.from('{"seen":"whsec_planted"}').toString('base64')
  const response = {
    status: 200,
    headers: [['Content-Type', 'application/json']] as [string, string][],
    body,
    truncated: false,
  }
  const delivery = { ...BLANK_DELIVERY, method: 'POST', answer: { status: 200, ms: 4 }, response }
  const entryOf = (of: typeof delivery | ReturnType<typeof maskedDelivery>) =>
    JSON.parse(writeHarEntry(of, new Uint8Array()) ?? '') as {
      response: { status: number; content: { mimeType: string; text: string } }
    }
  expect(entryOf(delivery).response).toMatchObject({
    status: 200,
    content: { mimeType: 'application/json', text: body },
  })
  const masked = entryOf(
    maskedDelivery(delivery, createMasking(['whsec_planted'], standardNames([]))),
  )
  expect(Buffer.from(masked.response.content.text, 'base64').toString()).toMatch(
    /^\{"seen":"(?!.*planted).+"\}$/,
  )
  expect(
    JSON.parse(writeHarEntry({ ...delivery, response: null }, new Uint8Array()) ?? ''),
  ).toMatchObject({
    response: { bodySize: -1, headers: [] },
  })
})
