/**
 * Outcomes of a comparison, by delivery. **Regressed**: the service counted the first response as
 * acknowledged, and no longer would. **Fixed**: the reverse. **Changed**: acknowledged in both or
 * neither, but status, body or a named header differ. **Unreachable**: no connection, so neither.
 * How long a response took counts only if it crosses 20 s, because it isn't acknowledged then.
 */
import { compareStructure } from '../../shared/diff/compare-bodies.ts'
import { isDifference, pieceText, type DiffRow } from '../../shared/diff/rows.ts'
import { nothingVolatile } from '../../shared/diff/volatile-fields.ts'
import type { Comparable, GroupDifference, PairOutcome } from '../../shared/model/run-comparison.ts'
import { NOT_CONNECTED } from '../outgoing/send.ts'

export interface PairDifference extends Pick<GroupDifference, 'place' | 'path' | 'kind'> {
  readonly before: string | null
  readonly after: string | null
}

export interface JudgedPair {
  readonly outcome: PairOutcome
  readonly differences: readonly PairDifference[]
}

/** Differences kept of a pair. */
const MOST_DIFFERENCES = 50
/** Characters kept of a value. */
const LONGEST_VALUE = 80

export function isUnreachable({ error }: Comparable): boolean {
  return NOT_CONNECTED.has(error)
}

/** Judges two responses to the same delivery. */
export function judgePair(before: Comparable, after: Comparable): JudgedPair {
  if (isUnreachable(before) || isUnreachable(after))
    return { outcome: 'unreachable', differences: [] }
  const differences = [
    ...headerDifferences(before.headers ?? {}, after.headers ?? {}),
    ...bodyDifferences(before, after),
  ].slice(0, MOST_DIFFERENCES)
  const differs =
    before.status !== after.status || before.error !== after.error || differences.length > 0
  const outcome =
    before.acknowledged === after.acknowledged
      ? differs
        ? 'changed'
        : 'same'
      : before.acknowledged
        ? 'regressed'
        : 'fixed'
  return { outcome, differences }
}

const shortened = (text: string) =>
  text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text

function headerDifferences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): PairDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((path): PairDifference[] => {
    const [one, other] = [before[path] ?? null, after[path] ?? null]
    return one === other ? [] : [difference('header', path, one, other)]
  })
}

function difference(
  place: PairDifference['place'],
  path: string,
  before: string | null,
  after: string | null,
): PairDifference {
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return {
    place,
    path,
    kind,
    before: before === null ? null : shortened(before),
    after: after === null ? null : shortened(after),
  }
}

function bodyDifferences(before: Comparable, after: Comparable): PairDifference[] {
  const [left, right] = [jsonBody(before, after), jsonBody(after, before)]
  if (left !== undefined && right !== undefined) {
    const compared = compareStructure(JSON.stringify(left), JSON.stringify(right), nothingVolatile)
    return compared.outcome === 'json' ? rowDifferences(compared.rows) : []
  }
  const [one, other] = [wholeBody(before), wholeBody(after)]
  return one === other ? [] : [difference('body', '', shownBody(one), shownBody(other))]
}

/** Returns the body if it is JSON; an empty one counts as lacking the other's fields. */
function jsonBody(response: Comparable, other: Comparable): Comparable['body'] {
  const isObject = typeof other.body === 'object' && other.body !== null
  if (response.body !== undefined || wholeBody(response) !== null || !isObject) return response.body
  return Array.isArray(other.body) ? [] : {}
}

function wholeBody({ body, text, sha256 }: Comparable): string | null {
  if (body !== undefined) return JSON.stringify(body)
  return text ?? (sha256 === undefined ? null : `binary, SHA-256 ${sha256}`)
}

const shownBody = (body: string | null) => body?.trim().split(/\r?\n/)[0] ?? null

/** Returns differences by path, without the contents of added and removed objects. */
function rowDifferences(rows: readonly DiffRow[]): PairDifference[] {
  const byPath = new Map<string, PairDifference>()
  let wholeDepth = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const { kind, depth, left, right } = row
    if (depth > wholeDepth) continue
    wholeDepth = Number.POSITIVE_INFINITY
    // Notation and the order of fields have no meaning here.
    if (!isDifference(row) || kind === 'form') continue
    const isWhole = kind === 'added' || kind === 'removed'
    if (isWhole) wholeDepth = depth
    const path = row.path.replaceAll(/\[\d+\]/g, '[*]')
    if (byPath.has(path)) continue
    const shown = (pieces: DiffRow['left']) =>
      pieces === null ? null : openedWord(pieceText(pieces))
    const after = kind === 'moved' ? 'at another position' : shown(right)
    byPath.set(path, difference('body', path, shown(left), after))
  }
  return [...byPath.values()]
}

/** Marks a container, of which a row shows only the beginning. */
const openedWord = (text: string) => (text === '{' ? '{…}' : text === '[' ? '[…]' : text)
