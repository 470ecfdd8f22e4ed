/** Compares two messages and prints their differences. */
import {
  countRows,
  cutCountSentence,
  countSentence,
  type DiffCounts,
  differenceCount,
  type DiffRow,
  isDifference,
  pieceText,
} from '../shared/diff/rows.ts'
import type { VolatileFields } from '../shared/diff/volatile-fields.ts'
import type { MaskedMessage } from './message-masker.ts'
import { firstDifference } from '../shared/diff/text-words.ts'
import { counted } from '../shared/text/english.ts'
import { compareStructure, compareText } from '../shared/diff/compare-bodies.ts'
import { headerRows } from '../shared/diff/header-rows.ts'
import { ignoredSentence } from '../shared/diff/fold-rows.ts'
import { differenceLines } from '../shared/diff/comparison-export.ts'
import type { Output } from './print.ts'

/** Ignored fields to name. */
const MOST_IGNORED = 12

interface BodyRows {
  readonly how: 'structure' | 'text' | 'bytes'
  readonly rows: readonly DiffRow[]
  /** Whether more differs, or is ignored, than these rows contain. */
  readonly isCut: boolean
  readonly differs: boolean
}

/**
 * Describes the position of the first difference; null if the bodies are equal. Omits it if they
 * contain secrets, because it would help guess them.
 */
export function differenceWords(left: MaskedMessage, right: MaskedMessage): string | null {
  const byte = firstDifference(left.bytes, right.bytes)
  if (byte === null) return null
  return left.hasSecrets || right.hasSecrets
    ? 'different'
    : `first difference at byte ${(byte + 1).toLocaleString('en')}`
}

function byteRows(left: MaskedMessage, right: MaskedMessage): BodyRows {
  const note = differenceWords(left, right)
  const words = (side: MaskedMessage): DiffRow['left'] => {
    const size = `${counted(side.bytes.length, 'byte')}${side.text === null ? ' (not UTF-8 text)' : ''}`
    return [{ text: size, isChanged: true }]
  }
  const place = { depth: 0, label: '', numbers: null, path: '', isIgnored: false, note }
  return {
    how: 'bytes',
    isCut: false,
    differs: note !== null,
    rows:
      note === null ? [] : [{ ...place, kind: 'changed', left: words(left), right: words(right) }],
  }
}

/** Compares the bodies by structure if both are JSON. */
function bodyRows(
  leftSide: MaskedMessage,
  rightSide: MaskedMessage,
  volatile: VolatileFields,
): BodyRows {
  const { text: left } = leftSide
  const { text: right } = rightSide
  if (left === null || right === null) return byteRows(leftSide, rightSide)
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'json') return { how: 'structure', ...structure }
  const text = compareText(left, right)
  // If the texts are equal, the rows omit only equal lines.
  return { how: 'text', ...text, isCut: text.isCut && text.differs }
}

function rowJson({ kind, path, numbers, left, right, note, isIgnored }: DiffRow) {
  return {
    kind,
    path,
    ...(numbers === null ? {} : { lines: numbers }),
    left: left === null ? null : pieceText(left),
    right: right === null ? null : pieceText(right),
    note,
    ignored: isIgnored,
  }
}

const differences = (rows: readonly DiffRow[]) =>
  rows.filter((row) => isDifference(row) || row.isIgnored).map(rowJson)

interface ComparedMessages {
  readonly body: BodyRows
  readonly headers: readonly DiffRow[] | null
  readonly counts: { readonly body: DiffCounts; readonly headers: DiffCounts }
  readonly isSame: boolean
}

export function compareMessages(
  left: MaskedMessage,
  right: MaskedMessage,
  volatile: VolatileFields,
): ComparedMessages {
  const body = bodyRows(left, right, volatile)
  const headers =
    left.headers === null || right.headers === null
      ? null
      : headerRows(left.headers, right.headers, volatile)
  const counts = { body: countRows(body.rows), headers: countRows(headers ?? []) }
  const isSame = !body.differs && differenceCount(counts.headers) === 0
  return { body, headers, counts, isSame }
}

export function messagesJson({ body, headers, counts }: ComparedMessages) {
  return {
    body: {
      by: body.how,
      counts: counts.body,
      truncated: body.isCut,
      differences: differences(body.rows),
    },
    headers: { counts: counts.headers, differences: differences(headers ?? []) },
  }
}

const titles: Readonly<Record<string, readonly string[]>> = {
  '': ['Body', 'Headers'],
  response: ['Response headers', 'Response body'],
  request: ['Request headers', 'Request body'],
}

export function printMessages(
  output: Output,
  { body, headers, counts }: ComparedMessages,
  name: string,
): void {
  for (const title of titles[name] ?? []) {
    const isBody = /body$/i.test(title)
    const rows = isBody ? body.rows : headers
    if (rows === null) continue
    const sentence =
      isBody && body.isCut
        ? cutCountSentence(counts.body, body.differs)
        : countSentence(isBody ? counts.body : counts.headers)
    output.heading(`${title}: ${sentence}`)
    for (const line of differenceLines(rows))
      output.line(
        output.color(line, line.startsWith('-') ? 'red' : line.startsWith('+') ? 'green' : null),
      )
    const ignored = rows.filter(({ isIgnored }) => isIgnored)
    if (ignored.length > 0)
      output.line(output.color(`  ${ignoredSentence(ignored, MOST_IGNORED)}`, 'grey'))
  }
}
