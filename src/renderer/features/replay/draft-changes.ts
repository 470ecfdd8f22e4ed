/** The differences between a draft and the captured request. */
import { pathText } from '../../../shared/body/json-path.ts'
import { childOf, readJson, stepsOf, type JsonNode } from '../../../shared/json/tree.ts'
import { type Original, type Draft, headersText } from './draft.ts'

export interface DraftChange {
  /** Label of the change, unique within a draft. */
  readonly name: string
  readonly part: 'method' | 'headers' | 'body'
  /** Position of a changed value in the body; null for any other change. */
  readonly at: number | null
  readonly before: string | null
  readonly after: string | null
  undo(draft: Draft): Draft
}

/** Most changes of a body that are listed individually. */
const MAX_PLACES = 30

export function changesOfDraft(draft: Draft, original: Original): readonly DraftChange[] {
  return [
    ...methodChange(draft, original),
    ...headerChanges(draft, original),
    ...bodyChanges(draft, original),
  ]
}

/** Returns a change without a position; `original` undoes it. */
function wholeChange(
  change: Pick<DraftChange, 'name' | 'part'> & Partial<DraftChange>,
  original: Partial<Draft>,
): DraftChange {
  return {
    ...{ at: null, before: null, after: null, ...change },
    undo: (draft) => ({ ...draft, ...original }),
  }
}

function methodChange({ method }: Draft, original: Original): readonly DraftChange[] {
  if (method === original.method) return []
  const change = { name: 'Method', part: 'method', before: original.method, after: method } as const
  return [wholeChange(change, { method: original.method })]
}

/** Returns the headers as one change, with the lines that are only on one side. */
function headerChanges({ headers }: Draft, original: Original): readonly DraftChange[] {
  const originalHeaders = headersText(original.headers)
  if (headers === originalHeaders) return []
  const linesOnlyIn = (text: string, other: string) => {
    const lines = new Set(other.split('\n'))
    return text
      .split('\n')
      .filter((line) => line !== '' && !lines.has(line))
      .join(', ')
  }
  const [before, after] = [
    linesOnlyIn(originalHeaders, headers),
    linesOnlyIn(headers, originalHeaders),
  ]
  const change = {
    name: 'Headers',
    part: 'headers',
    before: before === '' ? null : before,
    after: after === '' ? null : after,
  } as const
  return [wholeChange(change, { headers: originalHeaders })]
}

/** Returns the changes of the body: formatting and each value, or the whole body. */
export function bodyChanges(
  { text }: Pick<Draft, 'text'>,
  original: Pick<Original, 'text'>,
): readonly DraftChange[] {
  const originalText = original.text
  if (text === null || text === originalText) return []
  const wholeBody = (name: string, undone = originalText) => [
    wholeChange({ name, part: 'body' }, { text: undone }),
  ]
  if (originalText === null) return wholeBody('Body: replaced')
  const before = readJson(originalText)
  const after = readJson(text)
  if (before === null || after === null)
    return wholeBody(after === null && before !== null ? 'Body: no longer JSON' : 'Body')
  const walk: Walk = { original: originalText, places: [], text: '', upTo: 0 }
  const hasSameStructure = collectChanges(walk, before, after)
  const { places } = walk
  if (!hasSameStructure || places.length > MAX_PLACES)
    return wholeBody(`Body: ${places.length > MAX_PLACES ? 'many places' : 'structure'}`)
  const unformatted = walk.text + originalText.slice(walk.upTo)
  if (unformatted === text) return places
  return [...wholeBody('Body: formatting', unformatted), ...places]
}

interface Walk {
  /** Captured text. */
  readonly original: string
  readonly places: DraftChange[]
  /** Captured text up to `upTo`, with changed values inserted; formatting stays. */
  text: string
  upTo: number
}

/** Collects changed values; returns false if a member or item was added, removed or moved. */
function collectChanges(walk: Walk, left: JsonNode, right: JsonNode): boolean {
  const [before, after] = [left.raw, right.raw]
  if (before === after) return true
  const namesOf = ({ children }: JsonNode) => children.map(({ rawName }) => rawName)
  const isAlike =
    left.isContainer &&
    left.kind === right.kind &&
    left.children.length === right.children.length &&
    namesOf(left).join() === namesOf(right).join()
  if (isAlike)
    return left.children.every((child, index) =>
      collectChanges(walk, child, right.children[index]!),
    )
  if (left.parent === null) return false
  const path = stepsOf(left)
  walk.text += walk.original.slice(walk.upTo, left.start) + after
  walk.upTo = left.end
  walk.places.push({
    name: pathText(path),
    part: 'body',
    at: right.start,
    before,
    after,
    undo: (draft) => ({
      ...draft,
      text: draft.text === null ? null : withValue(draft.text, path, before),
    }),
  })
  return true
}

/** Replaces the value at a path and leaves the rest of the text unchanged. */
function withValue(text: string, path: readonly (string | number)[], value: string): string {
  const node = path.reduce(childOf, readJson(text))
  return node === null ? text : text.slice(0, node.start) + value + text.slice(node.end)
}
