/** Layouts in which a signer joins the parts by mistake: reordered, separated or incomplete. */
import type { Mismatch } from './mismatch.ts'

export type SignedPart = 'body' | 'url' | 'timestamp'

export interface Layout {
  readonly parts: readonly SignedPart[]
  readonly separator: string
}

export const RIGHT_LAYOUT: Layout = { parts: ['body', 'url', 'timestamp'], separator: '' }

const separators: readonly (readonly [name: string, text: string, words: string])[] = [
  ['newline', '\n', 'a newline'],
  ['dot', '.', 'a dot'],
  ['comma', ',', 'a comma'],
  ['colon', ':', 'a colon'],
  ['pipe', '|', 'a vertical bar'],
  ['space', ' ', 'a space'],
  ['crlf', '\r\n', 'a CR LF'],
  ['semicolon', ';', 'a semicolon'],
  ['ampersand', '&', 'an ampersand'],
  ['dash', '-', 'a dash'],
  ['underscore', '_', 'an underscore'],
]

const partNames: Readonly<Record<SignedPart, string>> = {
  body: 'body',
  url: 'URL',
  timestamp: 'timestamp',
}

function arrangements(): SignedPart[][] {
  const parts: readonly SignedPart[] = RIGHT_LAYOUT.parts
  const pairs = parts.flatMap((first) =>
    parts.filter((part) => part !== first).map((second): SignedPart[] => [first, second]),
  )
  const triples = pairs.map(([first, second]): SignedPart[] => [
    first!,
    second!,
    parts.find((part) => part !== first && part !== second)!,
  ])
  return [...triples, ...pairs, ...parts.map((part) => [part])]
}

const isInOrder = (parts: readonly SignedPart[]) =>
  parts.every(
    (part, index) =>
      index === 0 ||
      RIGHT_LAYOUT.parts.indexOf(parts[index - 1]!) < RIGHT_LAYOUT.parts.indexOf(part),
  )

/** Names the cause for this order of parts. */
function causeOf(parts: readonly SignedPart[]): string {
  const [only, second, third] = parts
  if (second === undefined) return `order:${only ?? ''}-only`
  if (third === undefined && isInOrder(parts)) {
    const missing = RIGHT_LAYOUT.parts.find((part) => !parts.includes(part))
    if (missing === 'body') return 'body:empty'
    return missing === 'url' ? 'url:missing' : 'timestamp:missing'
  }
  return `order:${parts.join('-')}`
}

function descriptionOf(parts: readonly SignedPart[], between: string | null): string {
  const missing = RIGHT_LAYOUT.parts.filter((part) => !parts.includes(part))
  const listed = parts.map((part) => partNames[part]).join(', ')
  const order =
    missing.length === 0
      ? isInOrder(parts)
        ? ''
        : `The parts were signed in the order ${listed}.`
      : missing.length === 1 && isInOrder(parts)
        ? `The ${partNames[missing[0]!]} wasn't signed.`
        : missing.length === 2
          ? `Only the ${listed} was signed.`
          : `Only the ${parts.map((part) => partNames[part]).join(' and the ')} were signed, in this order.`
  const joined = between === null ? '' : `The parts were joined with ${between}.`
  return [order, joined].filter((sentence) => sentence !== '').join(' ')
}

function rankOf(parts: readonly SignedPart[], hasSeparator: boolean): number {
  if (parts.length === 1) return parts[0] === 'body' ? 1 : 5
  if (parts.length === 2)
    return isInOrder(parts)
      ? hasSeparator
        ? 4
        : 1
      : parts[0] === 'timestamp' && parts[1] === 'body'
        ? 2
        : 4
  return isInOrder(parts) ? 2 : hasSeparator ? 4 : 2
}

const FIX = 'Join body, URL and timestamp in this order, without separators.'

function allLayouts(): readonly Mismatch<Layout>[] {
  const isRight = ({ parts, separator }: Layout) =>
    parts.length === 3 && isInOrder(parts) && separator === ''
  const mismatches = arrangements().flatMap((parts): Mismatch<Layout>[] => {
    const plain: Mismatch<Layout> = {
      causes: [causeOf(parts)],
      what: descriptionOf(parts, null),
      fix: FIX,
      rank: rankOf(parts, false),
      value: { parts, separator: '' },
    }
    if (parts.length === 1) return [plain]
    const joined = separators.map(([name, separator, words], index): Mismatch<Layout> => {
      const order = parts.length === 3 && isInOrder(parts) ? 'separator' : parts.join('-')
      return {
        causes: [`order:${order}-${name}`],
        what: descriptionOf(parts, words),
        fix: FIX,
        rank: rankOf(parts, true) + (index < 2 ? 0 : index < 4 ? 1 : 3),
        value: { parts, separator },
      }
    })
    return [plain, ...joined]
  })
  return mismatches.filter(({ value }) => !isRight(value))
}

export const layoutMismatches: readonly Mismatch<Layout>[] = allLayouts()
