/** What differs between a draft and what was captured: each change named, and how to undo it alone. */
import { createInterner } from '../../../shared/json/interner.ts'
import { readJson, textOf, type JsonDocument, type JsonNode } from '../../../shared/json/document.ts'
import { pathText, type PathStep } from '../../../shared/body/json-path.ts'
import { rowsOf, type Draft, type HeaderRow, type Original } from './draft.ts'

export interface DraftChange {
  /** Says what it is about, and tells it from the others. */
  readonly name: string
  readonly before: string | null
  readonly after: string | null
  undo(draft: Draft): Draft
}

/** So many places of the body are named one by one. */
const MOST_PLACES = 30

export function changesOfDraft(draft: Draft, original: Original): readonly DraftChange[] {
  return [...methodChange(draft, original), ...headerChanges(draft.rows, original), ...bodyChanges(draft, original)]
}

function methodChange({ method }: Draft, original: Original): readonly DraftChange[] {
  if (method === original.method) return []
  return [{ name: 'Method', before: original.method, after: method, undo: (draft) => ({ ...draft, method: original.method }) }]
}

/** Rows are known by their key, which is their place in the captured request; new ones have higher keys. */
function headerChanges(rows: readonly HeaderRow[], original: Original): readonly DraftChange[] {
  const before = rowsOf(original.headers)
  const changes: DraftChange[] = []
  for (const [index, was] of before.entries()) {
    const now = rows.find(({ key }) => key === was.key)
    if (now === undefined) {
      changes.push({
        name: `Header ${was.name} removed`,
        before: was.value,
        after: null,
        undo: (draft) => ({ ...draft, rows: withRow(draft.rows, was, before.slice(0, index)) }),
      })
    } else if (now.name !== was.name || now.value !== was.value) {
      changes.push({
        name: `Header ${was.name}`,
        before: now.name === was.name ? was.value : `${was.name}: ${was.value}`,
        after: now.name === was.name ? now.value : `${now.name}: ${now.value}`,
        undo: (draft) => ({ ...draft, rows: draft.rows.map((row) => (row.key === was.key ? was : row)) }),
      })
    }
  }
  const known = new Set(before.map(({ key }) => key))
  for (const row of rows) {
    if (known.has(row.key)) continue
    changes.push({
      name: `Header ${row.name === '' ? '(without a name)' : row.name} added`,
      before: null,
      after: row.value,
      undo: (draft) => ({ ...draft, rows: draft.rows.filter(({ key }) => key !== row.key) }),
    })
  }
  const left = rows.filter(({ key }) => known.has(key))
  if (left.some(({ key }, index) => key < (left[index - 1]?.key ?? key))) {
    changes.push({
      name: 'Order of the headers',
      before: null,
      after: null,
      undo: (draft) => ({ ...draft, rows: inOrder(draft.rows, known) }),
    })
  }
  return changes
}

/** The rows with those that were captured in the order captured, each new one in its place. */
function inOrder(rows: readonly HeaderRow[], captured: ReadonlySet<number>): readonly HeaderRow[] {
  const ordered = rows.filter(({ key }) => captured.has(key)).toSorted((one, other) => one.key - other.key)
  return rows.map((row) => (captured.has(row.key) ? (ordered.shift() ?? row) : row))
}

/** Puts a row back behind the last of those that stood before it. */
function withRow(rows: readonly HeaderRow[], row: HeaderRow, earlier: readonly HeaderRow[]): readonly HeaderRow[] {
  const keys = new Set(earlier.map(({ key }) => key))
  const at = rows.findLastIndex(({ key }) => keys.has(key)) + 1
  return [...rows.slice(0, at), row, ...rows.slice(at)]
}

function bodyChanges({ text }: Draft, original: Original): readonly DraftChange[] {
  const was = original.text
  if (text === null || text === was) return []
  if (was === null) return [{ name: 'Body: another one', before: null, after: null, undo: (draft) => ({ ...draft, text: null }) }]
  const whole = (name: string): readonly DraftChange[] => [
    { name, before: null, after: null, undo: (draft) => ({ ...draft, text: was }) },
  ]
  const intern = createInterner()
  const before = readJson(was, intern)
  const after = readJson(text, intern)
  if (before === null || after === null) return whole(after === null && before !== null ? 'Body: no JSON any more' : 'Body')
  const places: DraftChange[] = []
  const isWhole = walk({ before, after, places }, before.root, after.root, [])
  if (!isWhole || places.length > MOST_PLACES)
    return whole(`Body: ${places.length > MOST_PLACES ? 'many places' : 'its structure'}`)
  return places.length === 0 ? whole('Body: written otherwise, the same values') : places
}

interface Walk {
  readonly before: JsonDocument
  readonly after: JsonDocument
  readonly places: DraftChange[]
}

/** Notes values that differ where both have one; false where a member or item came or went, or moved. */
function walk(at: Walk, one: JsonNode, other: JsonNode, path: readonly PathStep[]): boolean {
  if (one.form === other.form) return true
  const isAlike =
    one.kind === other.kind &&
    one.children.length > 0 &&
    one.rawNames.join() === other.rawNames.join() &&
    one.children.length === other.children.length
  if (isAlike) {
    return one.children.every((child, index) => {
      const next = other.children[index]
      return next !== undefined && walk(at, child, next, [...path, one.kind === 'object' ? (one.names[index] ?? '') : index])
    })
  }
  if (path.length === 0) return false
  const before = textOf(at.before, one)
  at.places.push({
    name: `Body: ${pathText(path)}`,
    before,
    after: textOf(at.after, other),
    undo: (draft) => ({ ...draft, text: draft.text === null ? null : withValue(draft.text, path, before) }),
  })
  return true
}

/** The text with the value at a path replaced by another, nothing else touched. */
function withValue(text: string, path: readonly PathStep[], value: string): string {
  const document = readJson(text, createInterner())
  let node: JsonNode | undefined = document?.root
  for (const step of path) {
    const index = typeof step === 'number' ? step : (node?.names.indexOf(String(step)) ?? -1)
    node = node?.children[index]
  }
  return node === undefined ? text : text.slice(0, node.start) + value + text.slice(node.end)
}
