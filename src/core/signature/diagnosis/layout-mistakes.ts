/** Layouts in which a signer joins the parts by mistake: reordered, separated or incomplete. */
import type { SigningMistake } from './mistake.ts'

export type SignedPart = 'body' | 'url' | 'timestamp'

export interface Layout {
  readonly parts: readonly SignedPart[]
  readonly separator: string
}

export const RIGHT_LAYOUT: Layout = { parts: ['body', 'url', 'timestamp'], separator: '' }

/** Separators, likeliest first; `name` is part of the cause, `words` of the sentence. */
const separators = [
  { name: 'newline', text: '\n', words: 'a newline' },
  { name: 'dot', text: '.', words: 'a dot' },
  { name: 'comma', text: ',', words: 'a comma' },
  { name: 'colon', text: ':', words: 'a colon' },
  { name: 'pipe', text: '|', words: 'a vertical bar' },
  { name: 'space', text: ' ', words: 'a space' },
  { name: 'crlf', text: '\r\n', words: 'a CR LF' },
  { name: 'semicolon', text: ';', words: 'a semicolon' },
  { name: 'ampersand', text: '&', words: 'an ampersand' },
  { name: 'dash', text: '-', words: 'a dash' },
  { name: 'underscore', text: '_', words: 'an underscore' },
]

const partNames: Readonly<Record<SignedPart, string>> = {
  body: 'body',
  url: 'URL',
  timestamp: 'timestamp',
}

function arrangements(): SignedPart[][] {
  const parts: readonly SignedPart[] = RIGHT_LAYOUT.parts
  const pairs = parts.flatMap((first) =>
    parts.filter((part) => part !== first).map((second) => [first, second]),
  )
  const triples = pairs.map((pair) => [...pair, ...parts.filter((part) => !pair.includes(part))])
  return [...triples, ...pairs, ...parts.map((part) => [part])]
}

const missingFrom = (parts: readonly SignedPart[]) =>
  RIGHT_LAYOUT.parts.filter((part) => !parts.includes(part))

const isInOrder = (parts: readonly SignedPart[]) =>
  RIGHT_LAYOUT.parts.filter((part) => parts.includes(part)).join('') === parts.join('')

function causeOf(parts: readonly SignedPart[]): string {
  if (parts.length === 1) return `order:${parts.join('')}-only`
  const [missing] = missingFrom(parts)
  if (missing === undefined || !isInOrder(parts)) return `order:${parts.join('-')}`
  return missing === 'body' ? 'body:empty' : `${missing}:missing`
}

function orderSentence(parts: readonly SignedPart[]): string {
  const names = parts.map((part) => partNames[part])
  const [missing, secondMissing] = missingFrom(parts)
  if (secondMissing !== undefined) return `Only the ${names.join('')} was signed.`
  if (missing === undefined)
    return isInOrder(parts) ? '' : `The parts were signed in the order ${names.join(', ')}.`
  return isInOrder(parts)
    ? `The ${partNames[missing]} wasn't signed.`
    : `Only the ${names.join(' and the ')} were signed, in this order.`
}

function descriptionOf(parts: readonly SignedPart[], separatorWords: string | null): string {
  const joined = separatorWords === null ? '' : `The parts were joined with ${separatorWords}.`
  return [orderSentence(parts), joined].filter((sentence) => sentence !== '').join(' ')
}

/** Returns the rank of an order, alone and with the likeliest separators. */
function ranksOf(parts: readonly SignedPart[]): { plain: number; separated: number } {
  if (parts.length === 1) return { plain: parts[0] === 'body' ? 1 : 5, separated: 5 }
  if (parts.length === 3) return { plain: 2, separated: isInOrder(parts) ? 2 : 4 }
  if (isInOrder(parts)) return { plain: 1, separated: 4 }
  const rank = parts.join('-') === 'timestamp-body' ? 2 : 4
  return { plain: rank, separated: rank }
}

const FIX = 'Join body, URL and timestamp in this order, without separators.'

function mistakesOf(parts: readonly SignedPart[]): SigningMistake<Layout>[] {
  const ranks = ranksOf(parts)
  const isWhole = parts.length === 3 && isInOrder(parts)
  const plain: SigningMistake<Layout> = {
    causes: [causeOf(parts)],
    what: descriptionOf(parts, null),
    fix: FIX,
    rank: ranks.plain,
    value: { parts, separator: '' },
  }
  if (parts.length === 1) return [plain]
  const separated = separators.map(({ name, text, words }, index): SigningMistake<Layout> => ({
    causes: [`order:${isWhole ? 'separator' : parts.join('-')}-${name}`],
    what: descriptionOf(parts, words),
    fix: FIX,
    rank: ranks.separated + (index < 2 ? 0 : index < 4 ? 1 : 3),
    value: { parts, separator: text },
  }))
  return isWhole ? separated : [plain, ...separated]
}

export const layoutMistakes = arrangements().flatMap(mistakesOf)
