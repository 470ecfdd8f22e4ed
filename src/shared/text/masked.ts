/**
 * Hides secrets in all output of Countersign: exports, reports, command output, API logs. There is one mark and one way to find a
 * secret; stored data stays unchanged.
 */

export const MASK = '[masked]'

/**
 * A shorter text occurs everywhere by chance: masking the secret `s` or `key` would break words, our own sentences included, and
 * guessing one that short takes no leak. The service's secrets are much longer. A header's whole value is masked however short it is.
 */
const SHORTEST_SECRET = 6

/** Characters or bytes behind a cut, where a secret may end. */
export const MASKED_BEYOND = 16_384

/** The last word of a text whose start was stored: it may be the start of a secret. */
function lastWord(text: string): Place[] {
  const { length } = text
  const ends = Array.from(' \n"<>,', (end) => text.lastIndexOf(end) + 1)
  const start = Math.max(length - MASKED_BEYOND, ...ends)
  return start === length ? [] : [{ start, end: length }]
}

/** From the first character to after the last one. */
export interface Place {
  readonly start: number
  readonly end: number
}

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
/** One character per byte, as header values and bodies are searched. */
const binaryOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const utf8 = (text: string) => new TextEncoder().encode(text)

/** What a JSON writer makes of a text before it is encoded: plain, with escaped slashes (PHP), ASCII only (Python). */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1)
  const ascii = plain.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [plain, ascii].flatMap((one) => [one, one.replaceAll('/', String.raw`\/`)])
}

// Writers of JSON, JavaScript, URLs, forms and HTML differ in what they escape, and how: rather than every spelling of each secret, the
// text is searched again with its escapes undone, layer by layer.

/** JSON in JSON in a form, and one more. */
const MOST_LAYERS = 4
const ESCAPE =
  /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\u([\da-f]{4})|(?:\\x|%)([\da-f]{2})|&#(\d{1,7});|&#x([\da-f]{1,6});|&(amp|lt|gt|quot|apos);|\\(["'\\/bfnrt])|[\r\n]+/gi
const MAY_BE_ESCAPED = /[\\%&\r\n]/
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '', r: '', t: '\t' }

/** What an escape means, as its bytes; a line break means nothing, because Base64 is broken into lines. */
function meaningOf([, high, low, unit, byte, decimal, hex, name, short]: RegExpExecArray): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? ''
  if (short !== undefined) return controls[short] ?? short
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
  const code = (digits: string) => Number.parseInt(digits, 16)
  if (high !== undefined && low !== undefined)
    return binaryOf(utf8(String.fromCharCode(code(high), code(low))))
  const point = decimal === undefined ? code(unit ?? hex ?? '') : Number(decimal)
  if (Number.isNaN(point) || point === 10 || point === 13) return ''
  return point > 0x10_ff_ff ? '' : binaryOf(utf8(String.fromCodePoint(point).toWellFormed()))
}

/** A text without its outer escapes, and where a place of it is in the given text; null if nothing is escaped. */
function unescaped(text: string): { text: string; before: (place: Place) => Place } | null {
  const pieces: string[] = []
  /**
   * For each character of the undone text, where its source starts and ends. No meaning is longer
   * than its escape.
   */
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let at = 0
  let length = 0
  const keep = (to: number) => {
    pieces.push(text.slice(at, to))
    for (; at < to; at++, length++) {
      starts[length] = at
      ends[length] = at + 1
    }
  }
  for (const match of text.matchAll(ESCAPE)) {
    keep(match.index)
    const meaning = meaningOf(match)
    pieces.push(meaning)
    const end = at + match[0].length
    starts.fill(at, length, length + meaning.length)
    ends.fill(end, length, length + meaning.length)
    length += meaning.length
    at = end
  }
  if (pieces.length === 0) return null
  keep(text.length)
  return {
    text: pieces.join(''),
    before: ({ start, end }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
  }
}

/** Places in order, those that touch each other's characters as one. */
function merged(places: readonly Place[]): readonly Place[] {
  if (places.length === 0) return places
  const result: Place[] = []
  for (const { start, end } of places.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last === undefined || start >= last.end) result.push({ start, end })
    else if (end > last.end) result[result.length - 1] = { start: last.start, end }
  }
  return result
}

type Finder = (text: string) => readonly Place[]

const NONE: readonly string[] = []
/** Earlier characters than the last six are shifted out of the 32 bits. */
const nextHash = (hash: number, code: number) => (hash << 6) ^ code

/** Finds forms in one pass, however many there are, by the hash of their last six characters: many secrets begin alike. */
function createFinder(forms: ReadonlySet<string>): Finder {
  const byHash = new Map<number, readonly string[]>()
  for (const form of forms) {
    let hash = 0
    for (let at = form.length - SHORTEST_SECRET; at < form.length; at++)
      hash = nextHash(hash, form.charCodeAt(at))
    byHash.set(hash, [...(byHash.get(hash) ?? NONE), form])
  }
  return (text) => {
    const places: Place[] = []
    let hash = 0
    for (let end = 1; end <= text.length; end++) {
      hash = nextHash(hash, text.charCodeAt(end - 1))
      for (const form of byHash.get(hash) ?? NONE)
        if (text.endsWith(form, end)) places.push({ start: end - form.length, end })
    }
    return places
  }
}

function findIn(text: string, finders: readonly Finder[], layers: number): readonly Place[] {
  const own = finders.flatMap((find) => find(text))
  const inner = layers === 0 || !MAY_BE_ESCAPED.test(text) ? null : unescaped(text)
  return inner === null
    ? own
    : [...own, ...findIn(inner.text, finders, layers - 1).map(inner.before)]
}

/** Base64 at each place where the text can begin, without the characters that it shares with its neighbors. */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = btoa('\0'.repeat(shift) + binaryOf(bytes))
    const own = whole.slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Every form of a secret that remains when escapes are undone. */
function formsOf(secret: string): string[] {
  const text = secret.toWellFormed()
  const bytes = utf8(text)
  const hex = hexOf(bytes)
  const readable = [secret, text, binaryOf(bytes)]
  const isAscii = bytes.every((byte) => byte < 0x80)
  return [
    ...readable,
    // A hexadecimal secret is the same key in either letter case.
    ...(/^[\da-f]+$/i.test(text) ? [text.toLowerCase(), text.toUpperCase()] : []),
    ...readable.flatMap((form) => [form.replaceAll(/[\r\n]/g, ''), form.replaceAll(' ', '+')]),
    ...[...new Set([text, ...inJson(text)])].flatMap((form) => inBase64(utf8(form))),
    hex,
    hex.toUpperCase(),
    // UTF-16, as its bytes.
    ...(isAscii ? [text.replaceAll(/[^]/g, '$&\0'), text.replaceAll(/[^]/g, '\0$&')] : []),
  ].filter((form) => form.length >= SHORTEST_SECRET)
}

/** How much longer than a secret its spelling may be: escapes of each character up to 512, Base64 and line breaks beyond. */
const lengthOf = (secret: string) => Math.min(secret.length, 512) * 16 + secret.length * 4

/** Returns the first `most` characters of a text, with a mark for each place, also for one at the cut. */
export function withMarks(
  text: string,
  places: readonly Place[],
  most = text.length,
  markOf = (_hidden: string) => MASK,
): string {
  let at = 0
  const parts: string[] = []
  for (const { start, end } of places) {
    if (start >= most) break
    const hidden = text.slice(start, end)
    // Line breaks stay, so that lines keep their numbers.
    parts.push(text.slice(at, start), markOf(hidden), hidden.replaceAll(/[^\n]+/g, ''))
    at = end
  }
  return parts.join('') + text.slice(at, most)
}

/** Makes the mask for secrets given in clear, and for those of another mask. */
export function createMask(given: readonly string[], others?: Mask): Mask {
  const secrets = [...new Set(given)].filter((secret) => secret.length >= SHORTEST_SECRET)
  const finders = [...(others?.finders ?? [])]
  if (secrets.length > 0) finders.push(createFinder(new Set(secrets.flatMap(formsOf))))
  const longest = Math.max(0, ...secrets.map(lengthOf), others?.longest ?? 0)
  const places: Mask['places'] = (text, isCut = false) =>
    finders.length === 0
      ? []
      : merged([...findIn(text, finders, MOST_LAYERS), ...(isCut ? lastWord(text) : [])])
  return {
    finders,
    longest,
    places,
    text(text, most, isCut) {
      const searched = most === undefined ? text : text.slice(0, most + longest)
      return withMarks(searched, places(searched, isCut), most)
    },
  }
}

export interface Mask {
  readonly finders: readonly Finder[]
  /** Characters of the longest match, in any likely spelling. */
  readonly longest: number
  /** Each secret in a text, or in bytes read as one character each; in order, without overlaps. `isCut`: only its start was stored. */
  places(text: string, isCut?: boolean): readonly Place[]
  /** The text, or its first `most` characters, with the mark in place of each secret. */
  text(text: string, most?: number, isCut?: boolean): string
}

/** For what quotes a part of a text. */
export interface KnownSecrets {
  mask(): Promise<Mask['text']>
}

/**
 * Names of fields that hold our own words and IDs: no sender chooses them, and a hook's header may have the same value by chance, such
 * as an event.
 */
const OURS =
  /^(?:id|at|\w+(?:Ids?|Of|At|Kind)|event\w*|environment|mode|verdict|freshness|schema|origin|outcome|causes?|state|kind|code|level|severity|group|actor|light|flow|run|step|tamper|bodySha256|httpVersion|base64)$/

/** Values nested deeper are left out, so that no response crashes the process. */
const DEEPEST = 1_000

interface TextsOptions {
  /** Changes names of fields, too. */
  readonly withNames?: boolean
  /** Whether the value of a field is hidden, whatever it is. `parent`: the field around it. */
  readonly isHidden?: (name: string, parent: string) => boolean
}

/** Changes every text of a JSON value. `isOurs`: the field holds our own words and IDs. */
export function mapTexts<Value>(
  value: Value,
  change: (text: string, isOurs: boolean) => string,
  { withNames = false, isHidden = () => false }: TextsOptions = {},
): Value {
  const changed = (inner: unknown, name: string, depth: number): unknown => {
    if (typeof inner === 'string') return change(inner, OURS.test(name))
    if (typeof inner !== 'object' || inner === null) return inner
    if (depth >= DEEPEST) return null
    if (Array.isArray(inner)) return inner.map((item) => changed(item, name, depth + 1))
    return Object.fromEntries(
      Object.entries(inner).map(([key, part]) => [
        withNames ? change(key, false) : key,
        isHidden(key, name) ? MASK : changed(part, key, depth + 1),
      ]),
    )
  }
  return changed(value, '', 0) as Value
}
