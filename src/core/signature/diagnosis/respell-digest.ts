/** Spells a digest as another one was spelled: in hexadecimal, with a prefix, merged, and so on. */

type Spell = (digest: Buffer) => string

/** Separators of bytes in hexadecimal, and of numbers. */
const HEX_SEPARATORS = ['', ' ', ':', '-']
const LIST_SEPARATORS = [', ', ',']

const signedBytes = (digest: Buffer) => [...new Int8Array(digest)]
const base64 = (bytes: Buffer) => bytes.toString('base64')
const withoutPadding = (text: string) => text.replaceAll('=', '')
const inUrls = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')

function hexSpellings(separator: string): Spell[] {
  const spell = (digest: Buffer) => (digest.toString('hex').match(/../g) ?? []).join(separator)
  return [spell, (digest) => spell(digest).toUpperCase()]
}

const plainSpellings: readonly Spell[] = [
  base64,
  ...HEX_SEPARATORS.flatMap(hexSpellings),
  ...LIST_SEPARATORS.flatMap((separator): Spell[] => [
    (digest) => [...digest].join(separator),
    (digest) => signedBytes(digest).join(separator),
  ]),
  (digest) => inUrls(base64(digest)),
  (digest) => withoutPadding(base64(digest)),
  (digest) => withoutPadding(inUrls(base64(digest))),
]

/** Returns spellings in Base64 of a spelled text. */
const insideBase64 = (spell: Spell): Spell[] => [
  (digest) => base64(Buffer.from(spell(digest))),
  (digest) => withoutPadding(base64(Buffer.from(spell(digest)))),
  (digest) => base64(Buffer.from(`${spell(digest)}\n`)),
]

const escaped = (text: string, isUpper: boolean) =>
  text.replaceAll(/[+/=]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16)
    return `%${isUpper ? hex.toUpperCase() : hex}`
  })

const outerSpellings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => escaped(text, true),
  (text) => escaped(text, false),
  (text) => text.replaceAll('+', ' '),
]

const spellings: readonly Spell[] = [
  ...plainSpellings,
  ...plainSpellings.slice(0, 3).flatMap(insideBase64),
].flatMap((spell) =>
  outerSpellings.map(
    (outer): Spell =>
      (digest) =>
        outer(spell(digest)),
  ),
)

/** Words around a digest that say nothing about the sender. */
const KNOWN_WORD = /^(?:[bt]|v\d|sha\d*|\d{1,3}|hmac|signature|sig|stdin)$/i

/**
 * Replaces a digest in the text that has it.
 * @param replaceWord replaces each word around the digest
 * @returns null if the text's spelling is unknown
 */
export function respellDigest(
  text: string,
  before: Buffer,
  after: Buffer,
  replaceWord: (word: string) => string,
): string | null {
  const spell = spellings.find((candidate) => text.includes(candidate(before)))
  if (spell === undefined) return null
  const around = text
    .split(spell(before))
    .map((part) =>
      part.replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
        KNOWN_WORD.test(word) ? word : replaceWord(word),
      ),
    )
  return around.join(spell(after))
}
