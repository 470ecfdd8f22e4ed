/** Mistakes in hashing the parts, such as once, or without the key. */
import { quickHmac } from '../quick-hmac.ts'
import { base64, firstPassForms, hex } from './first-pass-forms.ts'
import type { PartMistakes, SigningMistake } from './mistake.ts'
import { RIGHT_PASSES, type Passes } from './passes.ts'
import { utf16Encoders } from './utf16-encoders.ts'

const SECOND_PASS_FIX =
  'Compute a second HMAC over the Base64 text of the first, and encode that in Base64.'
const BASE64_TEXT_FIX =
  'Compute the second pass over the Base64 text of the first, including its padding and nothing else.'
const HMAC_FIX =
  "Use HMAC-SHA-256 with the hook's secret for both passes. A plain hash proves nothing."
const SHA256_FIX = 'Use SHA-256 for both passes.'
const SWAPPED_FIX = "Use the secret as the HMAC's key and the text as its message."
const UTF_8_FIX = 'Hash the text, and the secret as its key, in UTF-8.'

/** Mistake with the properties of the passes that it replaces. */
type PassMistake = SigningMistake<Partial<Passes>>

const mistake = (
  cause: string,
  rank: number,
  what: string,
  fix: string,
  value: Partial<Passes>,
): PassMistake => ({ causes: [cause], rank, what, fix, value })

const recodings = utf16Encoders.flatMap(({ how, encode }, index) => {
  const rank = index === 0 ? 4 : 5
  const form = (first: Buffer) => encode(base64(first))
  return [encode, null].flatMap((encodeKey): PassMistake[] => {
    const recoding = { name: `${index} ${encodeKey === null}`, encodeText: encode, encodeKey }
    const causes = encodeKey === null ? ['body:utf-16'] : ['body:utf-16', 'secret:utf-16']
    const what = `${encodeKey === null ? 'The text was' : 'Text and secret were'} hashed ${how}`
    const fix = UTF_8_FIX
    return [
      { causes, rank, what: `${what}, in both passes.`, fix, value: { recoding, form } },
      { causes, rank, what: `${what}.`, fix, value: { recoding } },
    ]
  })
})

const mistakes: readonly PassMistake[] = [
  mistake('passes:once', 1, 'Signature hashed once instead of twice.', SECOND_PASS_FIX, {
    second: 'none',
  }),
  ...firstPassForms.map(({ causes, rank, how, value: form }) => ({
    causes,
    rank,
    what: `The second pass used the first ${how}.`,
    fix: BASE64_TEXT_FIX,
    value: { form },
  })),
  mistake(
    'encoding:inner-base64-of-hex',
    1,
    "The second pass used the Base64 of the first pass's hexadecimal text.",
    "Make the hash return raw bytes (in PHP, set hash_hmac's fourth argument to true), and encode those in Base64.",
    { form: (first) => base64(Buffer.from(hex(first))) },
  ),
  mistake('passes:three', 2, 'Signature hashed three times.', 'Use exactly two passes.', {
    form: (first, key) => quickHmac('sha256', key, [base64(first)]),
  }),
  mistake('passes:no-key', 2, 'Plain SHA-256 without the secret.', HMAC_FIX, {
    first: 'unkeyed',
    second: 'none',
  }),
  mistake('passes:no-key', 3, 'Plain SHA-256, applied twice without the secret.', HMAC_FIX, {
    first: 'unkeyed',
    second: 'unkeyed',
  }),
  mistake(
    'passes:first-no-key',
    4,
    'The first pass used plain SHA-256 without the secret.',
    HMAC_FIX,
    { first: 'unkeyed' },
  ),
  mistake(
    'passes:second-no-key',
    4,
    'The second pass used plain SHA-256 without the secret.',
    HMAC_FIX,
    { second: 'unkeyed' },
  ),
  mistake(
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the secret followed by the text.',
    HMAC_FIX,
    { first: 'secret-first', second: 'none' },
  ),
  mistake(
    'passes:secret-in-text',
    3,
    'Plain SHA-256 of the text followed by the secret.',
    HMAC_FIX,
    { first: 'secret-last', second: 'none' },
  ),
  mistake('passes:swapped', 2, 'Both HMACs have key and message swapped.', SWAPPED_FIX, {
    first: 'swapped',
    second: 'swapped',
  }),
  mistake('passes:swapped', 3, 'The HMAC has key and message swapped.', SWAPPED_FIX, {
    first: 'swapped',
    second: 'none',
  }),
  mistake('passes:swapped', 4, 'The first HMAC has key and message swapped.', SWAPPED_FIX, {
    first: 'swapped',
  }),
  mistake(
    'passes:swapped',
    4,
    'The second HMAC has key and message swapped.',
    "Use the secret as the HMAC's key and the first result as its message.",
    { second: 'swapped' },
  ),
  ...recodings,
  ...(['sha1', 'sha512', 'sha384', 'md5'] as const).flatMap((algorithm) => {
    const title = algorithm === 'md5' ? 'MD5' : `SHA-${algorithm.slice(3)}`
    return [
      mistake(`passes:${algorithm}`, 2, `Hashed with ${title} instead of SHA-256.`, SHA256_FIX, {
        algorithm,
      }),
      mistake(
        `passes:${algorithm}`,
        2,
        `Hashed once, with ${title} instead of SHA-256.`,
        `${SHA256_FIX} ${SECOND_PASS_FIX}`,
        { algorithm, second: 'none' },
      ),
      mistake(
        `passes:${algorithm}`,
        4,
        `Plain ${title} without the secret.`,
        `${SHA256_FIX} ${HMAC_FIX}`,
        { algorithm, first: 'unkeyed', second: 'none' },
      ),
    ]
  }),
]

/** Whether two mistakes can occur together, because neither undoes the other. */
function canOccurTogether(a: Partial<Passes>, b: Partial<Passes>): boolean {
  const passes = { ...RIGHT_PASSES, ...a, ...b }
  return (
    Object.keys(a).every((key) => !(key in b)) &&
    (passes.second !== 'none' || passes.form === null) &&
    (passes.first === 'keyed' || passes.recoding === null)
  )
}

/** Largest sum of the ranks of two mistakes in the passes. */
const MAX_COMBINED_RANK = 6

const withRightRest = (one: PassMistake): SigningMistake<Passes> => ({
  ...one,
  value: { ...RIGHT_PASSES, ...one.value },
})

const pairs = mistakes.flatMap((first, index) =>
  mistakes
    .slice(index + 1)
    .filter(
      (second) =>
        first.rank + second.rank <= MAX_COMBINED_RANK &&
        canOccurTogether(first.value, second.value),
    )
    .map((second) =>
      withRightRest({
        causes: [...first.causes, ...second.causes],
        what: `${first.what} ${second.what}`,
        fix: `${first.fix} ${second.fix}`,
        rank: first.rank + second.rank,
        value: { ...first.value, ...second.value },
      }),
    ),
)

export const passMistakes: PartMistakes<Passes> = {
  singles: mistakes.map(withRightRest),
  pairs: () => pairs,
}
