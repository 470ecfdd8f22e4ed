import { expect, test } from 'vitest'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import { finalDigest } from './diagnosis/passes.ts'
import { firstPassOf, correctMethod, withMistakes } from './diagnosis/signing-method.ts'
import { collectMistakes } from './diagnosis/tried-mistakes.ts'
import { digestSizes } from './diagnosis/passes.ts'
import { diagnose } from './diagnose.ts'
import { secretKey, signDelivery } from './sign.ts'
import { signAlike, type AlikeSignature } from './sign-alike.ts'
import { isLongForm } from '../../../test/support/long-form.ts'

type Context = Omit<DiagnosisInput, 'received'>

const contextOf = (is: 'before' | 'after'): Context => {
  const [secret, other, host, name] =
    is === 'before'
      ? (['whsec_3f9a7c21b8d04e56', 'whsec_other-one', 'acme', 'Café "Zoë" & Söhne /7'] as const)
      : (['whsec_8b20d7e4c1f3569a', 'whsec_nmktr-wlq', 'h3k9', 'Pláq "Mrö" & Wüpla /3'] as const)
  return {
    body: Buffer.from(
      `{ "id":"${is === 'before' ? '4a' : '9c'}1","b":{"10":1.50,"2":1e2,"n":null,"e":{}},"name":"${name}","u":"\\u00e9\\/", "amount":-12.0}`,
    ),
    url: `https://${host}.hooks.example/H/one%20b/?b=2&a=1+3`,
    timestamp: '1763700000123',
    key: secretKey(secret),
    signer: 'service',
    otherSecrets: [
      { kind: 'previous', owner: 'this hook', key: secretKey(`${other}p`) },
      { kind: 'other-hook', owner: 'one', key: secretKey(other) },
      { kind: 'api-key', owner: 'an environment', key: secretKey(`sk_${other}`) },
    ],
    otherUrls: [
      { kind: 'local', url: `https://${host}.local.hooks.example:4783/H/one` },
      { kind: 'other-hook', url: `https://${host}.hooks.example/H/two` },
    ],
    otherTimestamps: [
      { kind: 'date-header', text: 'Fri, 21 Nov 2025 04:40:00 GMT', where: 'the date header' },
    ],
    otherBodies: [],
  }
}

function causesAfter(after: Context, { signed }: AlikeSignature): string | undefined {
  if (signed === null) return undefined
  const { signature: received, timestamp } = signed
  return diagnose({ ...after, received, timestamp })?.causes.join(' ')
}

test('each known mistake is signed again with the same causes', () => {
  const [before, after] = [contextOf('before'), contextOf('after')]
  const readings = Object.values(digestSizes).map((size) => ({
    digest: Buffer.alloc(size),
    mistake: null,
  }))
  const all = collectMistakes({ ...before, received: '' }, readings)
  // One of five causes, each once; all of them in the long form.
  const seen = new Set<string>()
  const mistakes = [...all.singles, ...(isLongForm ? all.pairs() : [])].filter(({ causes }) => {
    const isNew = !seen.has(causes.join(' '))
    seen.add(causes.join(' '))
    return (isNew && seen.size % 5 === 1) || isLongForm
  })
  expect(mistakes.length).toBeGreaterThan(40)
  for (const mistake of mistakes) {
    const method = withMistakes(correctMethod(before), [mistake])
    const received = finalDigest(method.passes, firstPassOf(method), method.key)
    const asked = { before: [{ ...before, received }], after: [after], words: {} }
    const alike = signAlike({ ...asked, depth: isLongForm ? 'several' : 'single' })
    // Few are equal to others that are tried first, or too rare to be tried.
    if (alike !== null)
      expect([alike.causes, causesAfter(after, alike)]).toEqual([
        alike.causes,
        alike.causes.join(' '),
      ])
    else expect(diagnose({ ...before, received })).toBe(null)
  }
})

const digestOf = (context: Context) => signDelivery(context).signature
const bytesOf = (signature: string) => Buffer.from(signature, 'base64')

test.each([
  ['hexadecimal', (text: string) => bytesOf(text).toString('hex')],
  ['uppercase', (text: string) => bytesOf(text).toString('hex').toUpperCase()],
  ['spaced', (text: string) => bytesOf(text).toString('hex').match(/../g)?.join(':') ?? ''],
  ['numbers', (text: string) => `[${[...bytesOf(text)].join(', ')}]`],
  ['for URLs', (text: string) => bytesOf(text).toString('base64url')],
  ['unpadded', (text: string) => text.replace('=', '')],
  ['Base64 of hexadecimal', (text: string) => btoa(bytesOf(text).toString('hex'))],
  ['Base64 twice', (text: string) => btoa(text)],
  ['several', (text: string) => `${text}, ${text}`],
  ['prefixed', (text: string) => `t=1763700000,v1=${text}`],
  ['named', (text: string) => `SHA2-256(stdin)= ${bytesOf(text).toString('hex')}`],
  ['percent', (text: string) => encodeURIComponent(text)],
  ['spaces', (text: string) => text.replaceAll('+', ' ')],
  ['cut', (text: string) => text.slice(0, 30)],
  ['cut hexadecimal', (text: string) => bytesOf(text).toString('hex').slice(0, 40)],
  ['lower case', (text: string) => text.toLowerCase()],
  [
    'swapped case',
    (text: string) =>
      text.replaceAll(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase())),
  ],
] as const)('a signature in another form (%s) keeps its form', (_name, spell) => {
  const [before, after] = [contextOf('before'), contextOf('after')]
  const received = spell(digestOf(before))
  const causes = diagnose({ ...before, received })?.causes
  const alike = signAlike({
    before: [{ ...before, received }],
    after: [after],
    depth: 'several',
    words: {},
  })
  expect(causes?.length).toBeGreaterThan(0)
  expect(alike?.causes).toEqual(causes)
  expect(alike && causesAfter(after, alike)).toBe(causes?.join(' '))
})

test('a signature without a known mistake has no alike', () => {
  const received = digestOf({ ...contextOf('before'), key: secretKey('nobody') })
  const before = [{ ...contextOf('before'), received }]
  expect(signAlike({ before, after: [contextOf('after')], depth: 'several', words: {} })).toBe(null)
})
