/**
 * The signature of section 5.2 against vectors from openssl and Python, and the diagnosis against
 * their mistakes.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { diagnose } from '../../src/core/signature/diagnose.ts'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { isSignedBy } from '../../src/core/signature/verify.ts'

const inputsSchema = z.object({
  name: z.string(),
  url: z.string(),
  timestamp: z.string(),
  secret: z.string(),
  signature: z.string(),
})
const vectorSchema = inputsSchema.extend({
  bodyBase64: z.string().optional(),
  bodyRepeat: z.object({ byte: z.number(), count: z.number() }).optional(),
  inner: z.string(),
})
const mistakeSchema = inputsSchema.extend({
  bodyBase64: z.string(),
  isSecretGiven: z.boolean().default(false),
  causes: z.array(z.string()),
  otherSecrets: z.array(
    z.object({
      kind: z.enum(['previous', 'other-hook', 'other-environment', 'api-key']),
      secret: z.string(),
    }),
  ),
  otherUrls: z.array(z.object({ kind: z.enum(['local', 'other-hook']), url: z.string() })),
  otherTimestamps: z.array(
    z.object({ kind: z.enum(['date-header', 'other-header', 'receipt']), text: z.string() }),
  ),
  otherBodies: z.array(z.object({ encoding: z.string(), bodyBase64: z.string() })),
})

const mistakesSchema = z.object({
  usual: z.looseObject({}),
  mistakes: z.array(z.looseObject({})),
})

type Vector = z.infer<typeof vectorSchema>

const read = (file: string): unknown =>
  JSON.parse(readFileSync(`test/fixtures/signatures/${file}`, 'utf8'))

/** Reads the mistakes of a file, each completed by what most of its deliveries have. */
function readMistakes(file: string) {
  const { usual, mistakes } = mistakesSchema.parse(read(file))
  return mistakes.map((mistake) => mistakeSchema.parse({ ...usual, ...mistake }))
}

function bodyOf(vector: Vector): Buffer {
  const repeat = vector.bodyRepeat
  return repeat === undefined
    ? Buffer.from(vector.bodyBase64 ?? '', 'base64')
    : Buffer.alloc(repeat.count, repeat.byte)
}

/** OpenSSL and Python make the same (`make-vectors.sh` fails otherwise). */
const vectors = z.array(vectorSchema).parse(read('openssl.json'))

test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
  const { url, timestamp, secret, inner, signature } = vector
  const body = bodyOf(vector)
  const key = secretKey(secret)
  expect(signDelivery({ body, url, timestamp, key })).toEqual({ inner, signature })
  expect(isSignedBy({ url, key }, body, timestamp, signature)).toBe(true)
})

const mistakes = readMistakes('wrong.json')

test('there are at least thirty mistakes, of every family', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(30)
  const families = new Set<string>(
    mistakes.flatMap(({ causes }) => causes.map((cause) => cause.slice(0, cause.indexOf(':')))),
  )
  expect([...families].toSorted()).toEqual([
    'body',
    'encoding',
    'order',
    'passes',
    'secret',
    'timestamp',
    'url',
  ])
})

const spellings = readMistakes('spellings.json')

test('sixty mistakes in the notation of secret and URL, each of them named', () => {
  expect(spellings.length).toBeGreaterThanOrEqual(60)
  expect(spellings.filter(({ causes }) => causes.length !== 1)).toEqual([])
})

const field = readMistakes('field.json')

const notations = readMistakes('notations.json')

describe.each(
  [...mistakes, ...spellings, ...field, ...notations].map(
    (mistake) => [mistake.name, mistake] as const,
  ),
)('%s', (_name, mistake) => {
  const { url, timestamp, signature: received, causes, otherUrls, isSecretGiven } = mistake
  const key = secretKey(mistake.secret)
  const body = Buffer.from(mistake.bodyBase64, 'base64')

  test('is invalid', () => {
    expect(isSignedBy({ url, key }, body, timestamp, received)).toBe(false)
  })

  test(`is diagnosed as ${causes.join(' and ') || 'nothing known'}`, () => {
    const otherSecrets = mistake.otherSecrets.map(({ kind, secret }) => ({
      kind,
      owner: 'another one',
      key: secretKey(secret),
    }))
    const otherTimestamps = mistake.otherTimestamps.map((known) => ({
      ...known,
      where: 'another time',
    }))
    const otherBodies = mistake.otherBodies.map(({ encoding, bodyBase64 }) => ({
      encoding,
      body: Buffer.from(bodyBase64, 'base64'),
    }))
    const found = diagnose({
      signer: 'user',
      body,
      url,
      timestamp,
      received,
      key,
      isSecretGiven,
      otherSecrets,
      otherUrls,
      otherTimestamps,
      otherBodies,
    })
    expect(found?.causes ?? []).toEqual(causes)
    expect(found?.cause).toBe(causes[0])
  })
})
