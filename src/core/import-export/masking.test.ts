import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountsInFolder } from '../../../test/support/in-folder.ts'
import { createMask } from '../../shared/text/mask.ts'
import { MASK } from '../../shared/text/masked-places.ts'
import { BLANK_DELIVERY, deliverySchema } from '../../shared/model/delivery.ts'
import { hookImportSchema } from '../../shared/model/hook.ts'
import { sendAnswerSchema } from '../../shared/model/send.ts'
import { maskingOf } from './known-secrets.ts'
import { createMasking, standardNames } from './masking.ts'
import { maskedDelivery, maskedSend } from './masked-records.ts'
import { writeHarEntry } from './har-entry.ts'

test('a compressed body that contains a secret is removed entirely, whatever its header says', async () => {
  const masking = createMasking(createMask(['whsec_planted']), standardNames([]))
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

type JsonSchema = z.core.JSONSchema.JSONSchema

/** Returns a value of a schema with the text in every free field, in Base64 where the field is. */
function filled(schema: JsonSchema, text: string): unknown {
  const { properties = {}, items, prefixItems, format, contentEncoding } = schema
  const all = (schemas: unknown) => (schemas as JsonSchema[]).map((inner) => filled(inner, text))
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as readonly JsonSchema[]
  if (choice !== undefined) return filled(choice, text)
  const limited = schema.const ?? schema.enum?.[0]
  if (limited !== undefined) return limited
  // A nullable one has two types.
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [
          name,
          filled(
            inner as JsonSchema,
            name === 'base64' ? Buffer.from(text).toString('base64') : text,
          ),
        ]),
      )
    case 'array':
      return all(prefixItems ?? [items])
    case 'string':
      if (format === 'date-time') return '2026-01-01T00:00:00.000Z'
      return contentEncoding === 'base64' ? Buffer.from(text).toString('base64') : text
    case 'boolean':
      return false
    default:
      return 1
  }
}

test('every text of a delivery and of a send is masked, also of fields to come', async () => {
  const masking = createMasking(createMask(['whsec_planted']), standardNames([]))
  const fill = (schema: z.ZodType) =>
    filled(z.toJSONSchema(schema) as JsonSchema, 'a whsec_planted b')
  const delivery = maskedDelivery(deliverySchema.parse(fill(deliverySchema)), masking)
  const send = await maskedSend(sendAnswerSchema.parse(fill(sendAnswerSchema)), masking)
  for (const shown of [delivery, send]) {
    const text = JSON.stringify(shown)
    expect(text.match(/.{0,40}(?:planted|cGxhbnRlZ).{0,40}/)).toBeNull()
    expect(text.split(MASK).length).toBeGreaterThan(10)
  }
})

const times = (count: number, bytes: Uint8Array): Uint8Array =>
  count === 0 ? bytes : times(count - 1, gzipSync(bytes))
const planted = Buffer.from('{"secret":"whsec_planted"}')

test.each<[string, Uint8Array, string | null]>([
  ['2 MiB before the secret', gzipSync(Buffer.concat([Buffer.alloc(2 << 20), planted])), 'gzip'],
  ['five layers', times(5, planted), 'gzip, gzip, gzip, gzip, gzip'],
  ['an unknown encoding', gzipSync(planted), 'foo'],
  ['junk before gzip', Buffer.concat([Buffer.from('\r\n'), gzipSync(planted)]), 'gzip'],
  ['junk before gzip, unnamed', Buffer.concat([Buffer.from('\r\n'), gzipSync(planted)]), null],
  [
    'junk and gzip behind gzip',
    Buffer.concat([gzipSync('{}'), Buffer.from([0]), gzipSync(planted)]),
    'gzip',
  ],
  ['a cut body', gzipSync(planted).subarray(0, 30), 'gzip'],
  ['gzip in gzip, one named', times(2, planted), 'gzip'],
  ['six layers, unnamed', times(6, planted), null],
  ['zlib, unnamed', deflateSync(planted), null],
])(
  'a compressed body that may hide a secret is left out with the reason: %s',
  async (_, body, named) => {
    const masked = await createMasking(createMask(['whsec_planted']), standardNames([])).body(
      body,
      named === null ? [] : [['content-encoding', named]],
    )
    expect(Buffer.from(masked).toString()).toMatch(/^\[masked\](?: It couldn't be searched .+)?$/)
  },
)

test('a body without compressed data stays, whatever its header says', async () => {
  const masking = createMasking(createMask(['whsec_planted']), standardNames([]))
  for (const body of [
    Buffer.from('{"a":1}'),
    Buffer.from([0x78, 0x9c, 0, 1, 2, 255]),
    Buffer.from([137, 80, 0]),
  ])
    expect(await masking.body(body, [])).toBe(body)
  expect(await masking.body(Buffer.from('{}'), [['content-encoding', 'utf-8']])).toEqual(
    Buffer.from('{}'),
  )
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
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { mimeType: 'application/json', text: body },
  })
  const masked = entryOf(
    maskedDelivery(delivery, createMasking(createMask(['whsec_planted']), standardNames([]))),
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

test("hooks' previous secrets, environments' keys and handlers' own secrets are all masked", async () => {
  const { hooks, environments } = await accountsInFolder()
  const hook = { event: 'card.linked', url: 'https://localhost/h', secret: 'whsec_previous' }
  const { id } = await hooks.import(hookImportSchema.parse(hook))
  await hooks.rotate(id, 'whsec_current')
  const key = await environments.openKey(environments.get('sandbox-test'))
  const savedHandlers = { secrets: () => Promise.resolve(['whsec_of_a_handler']) }
  const { text } = await maskingOf({ hooks, environments, savedHandlers }, 'strict')
  for (const secret of ['whsec_previous', 'whsec_current', key, 'whsec_of_a_handler'])
    expect(text(`seen: ${secret}`)).toBe(`seen: ${MASK}`)
})
