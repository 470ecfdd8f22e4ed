/** Rows of a difference between two JSON documents, with unchanged parts folded. */
import { counted } from '../text/english.ts'
import type { JsonNode } from '../json/tree.ts'
import { showPath, type Path } from './path-pattern.ts'
import {
  clipped,
  nothingOpened,
  unchangedSentence,
  showFold,
  unchangedPieces,
  type ComparedRows,
  type DiffRow,
  type OpenedFolds,
} from './rows.ts'
import { isVolatilePath, type VolatileFields } from './volatile-fields.ts'
import type { Delta, Entry } from './structure.ts'
import { diffWords } from './text-words.ts'

export const MOST_ROWS = 20_000
/** Depth to which added and removed containers are listed field by field. */
const DEEPEST_LISTED = 40

export interface StructureInput {
  readonly delta: Delta | null
  readonly volatile: VolatileFields
  readonly opened?: OpenedFolds
}

interface Line {
  readonly path: Path
  readonly label: string
  readonly depth: number
}

export function structureRows({
  delta,
  volatile,
  opened = nothingOpened,
}: StructureInput): Omit<ComparedRows, 'counts'> {
  const builder = new RowBuilder(volatile, opened)
  if (delta !== null) builder.addDocument(delta)
  const { rows, differs } = builder
  const isCut = rows.length > MOST_ROWS
  return { rows: isCut ? rows.slice(0, MOST_ROWS) : rows, isCut, differs }
}

type Children = Extract<Delta, { kind: 'children' }>

class RowBuilder {
  readonly rows: DiffRow[] = []
  differs = false
  readonly #volatile: VolatileFields
  readonly #opened: OpenedFolds

  constructor(volatile: VolatileFields, opened: OpenedFolds) {
    this.#volatile = volatile
    this.#opened = opened
  }

  addDocument(delta: Delta): void {
    const top: Line = { path: [], label: '', depth: 0 }
    // Without the outermost braces, so that differences begin at the left edge.
    const hidesBraces =
      delta.kind === 'children' &&
      !(delta.left.kind === 'object' && delta.entries.some(({ isMoved }) => isMoved))
    if (hidesBraces) this.#addChildren(delta, { ...top, depth: -1 })
    else this.#addDelta(delta, top, null)
  }

  /** Whether later rows can't change the shown rows or `differs`. */
  get #isSettled(): boolean {
    return this.differs && this.rows.length > MOST_ROWS
  }

  #add(line: Line, row: Partial<DiffRow> & Pick<DiffRow, 'kind'>): void {
    if (this.#isSettled) return
    const isCounted = row.kind !== 'open' && row.kind !== 'fold' && row.kind !== 'same'
    const isIgnored = isCounted && isVolatilePath(this.#volatile, line.path)
    this.differs ||= isCounted && !isIgnored
    if (this.rows.length > MOST_ROWS) return
    this.rows.push({
      depth: line.depth,
      label: line.label,
      numbers: null,
      left: null,
      right: null,
      note: null,
      path: showPath(line.path),
      isIgnored,
      ...row,
    })
  }

  #addWhole(kind: 'added' | 'removed', node: JsonNode, line: Line): void {
    if (this.#isSettled) return
    const side = kind === 'added' ? 'right' : 'left'
    const size = node.children.length
    if (size === 0 || line.depth > DEEPEST_LISTED) {
      this.#add(line, { kind, [side]: wholeOf(node) })
      return
    }
    const isObject = node.kind === 'object'
    const note = counted(size, isObject ? 'field' : 'item')
    this.#add(line, { kind, [side]: unchangedPieces(isObject ? '{' : '['), note })
    for (const child of node.children) this.#addWhole(kind, child, childLine(line, child))
  }

  #addDelta(delta: Delta, line: Line, note: string | null): void {
    if (delta.kind === 'replaced') {
      this.#addReplaced(delta, line, note)
      return
    }
    const isObject = delta.left.kind === 'object'
    const isReordered = isObject && delta.entries.some(({ isMoved }) => isMoved)
    const open = unchangedPieces(isObject ? '{' : '[')
    // The order of fields has no meaning, so it counts as reformatted.
    this.#add(line, {
      kind: isReordered ? 'form' : 'open',
      left: open,
      right: open,
      note: joinNotes(isReordered ? 'fields in another order' : null, note),
    })
    this.#addChildren(delta, line)
  }

  #addReplaced(
    { left, right, isSameValue }: Extract<Delta, { kind: 'replaced' }>,
    line: Line,
    note: string | null,
  ): void {
    if (left.kind !== right.kind && left.children.length + right.children.length > 0) {
      this.#add(line, {
        kind: 'changed',
        left: wholeOf(left),
        right: wholeOf(right),
        note: `changed from ${kindWord(left)} to ${kindWord(right)}`,
      })
      return
    }
    this.#add(line, {
      kind: isSameValue ? 'form' : 'changed',
      ...(left.kind === 'string'
        ? diffWords(shown(left), shown(right))
        : { left: wholeOf(left), right: wholeOf(right) }),
      note: joinNotes(isSameValue ? notationNote(left) : null, note),
    })
  }

  /** Adds right children in order; removed ones come before the next left child that remains. */
  #addChildren(delta: Children, line: Line): void {
    /** Consecutive right positions of unchanged values. */
    let same: number[] = []
    const showSame = () => {
      this.#addSame(same, delta.right, line)
      same = []
    }
    const pendingRemoved = [...delta.removed]
    const addRemoved = (before: number) => {
      while (pendingRemoved.length > 0 && (pendingRemoved[0] ?? 0) < before) {
        const node = delta.left.children[pendingRemoved.shift() ?? 0]
        showSame()
        if (node !== undefined) this.#addWhole('removed', node, childLine(line, node))
      }
    }
    delta.entries.forEach((entry, index) => {
      const node = delta.right.children[index]
      if (node === undefined) return
      if (entry.from !== null && !entry.isMoved) addRemoved(entry.from)
      const isMoved = entry.isMoved && delta.left.kind !== 'object'
      const rename = renamed(delta, entry, index)
      if (entry.from !== null && entry.delta === null && !isMoved && rename === null) {
        same.push(index)
        return
      }
      showSame()
      const at = childLine(line, node)
      if (entry.from === null) this.#addWhole('added', node, at)
      else if (isMoved) this.#addMoved(entry, index, node, at)
      else this.#addRenamed(entry, rename, at)
    })
    addRemoved(Number.POSITIVE_INFINITY)
    showSame()
  }

  #addSame(positions: readonly number[], right: JsonNode, line: Line): void {
    const nameAt = (index: number) => `same ${positions[index] ?? 0} ${showPath(line.path)}`
    showFold(positions.length, this.#opened, nameAt, {
      line: (index) => {
        const node = right.children[positions[index] ?? 0]
        if (node === undefined) return
        const text = wholeOf(node)
        this.#add(childLine(line, node), { kind: 'same', left: text, right: text })
      },
      fold: (count, opens) => {
        const note = unchangedSentence(count)
        this.#add(
          { ...line, depth: line.depth + 1, label: '' },
          { kind: 'fold', note, opens: [opens], unchanged: count },
        )
      },
    })
  }

  #addMoved({ from, delta }: Entry, index: number, node: JsonNode, at: Line): void {
    const note = `moved from ${from} to ${index}`
    const text = delta === null ? wholeOf(node) : unchangedPieces('…')
    this.#add(at, { kind: 'moved', left: text, right: text, note })
    if (delta !== null) this.#addDelta(delta, { ...at, depth: at.depth + 1 }, null)
  }

  #addRenamed({ delta }: Entry, names: RawNames | null, at: Line): void {
    const note = 'same name, escaped differently'
    if (delta !== null) this.#addDelta(delta, at, names === null ? null : note)
    else
      this.#add(at, {
        kind: 'form',
        left: unchangedPieces(names?.left ?? ''),
        right: unchangedPieces(names?.right ?? ''),
        note,
      })
  }
}

const shown = ({ raw }: JsonNode) => clipped(raw)

const wholeOf = (node: JsonNode) => unchangedPieces(shown(node))

interface RawNames {
  readonly left: string
  readonly right: string
}

function renamed({ left, right }: Children, { from }: Entry, index: number): RawNames | null {
  const before = from === null ? null : left.children[from]?.rawName
  const after = right.children[index]?.rawName
  return before == null || after == null || before === after ? null : { left: before, right: after }
}

function childLine(line: Line, { name, place }: JsonNode): Line {
  const step = name ?? place
  return {
    path: [...line.path, step],
    label: step === '' ? '""' : String(step),
    depth: line.depth + 1,
  }
}

function notationNote(node: JsonNode): string {
  if (node.kind === 'number') return 'same number, different notation'
  return node.kind === 'string'
    ? 'same string, escaped differently'
    : 'same value, different notation'
}

function kindWord({ kind, children }: JsonNode): string {
  if (kind === 'object') return `an object with ${counted(children.length, 'field')}`
  if (kind === 'array') return `an array with ${counted(children.length, 'item')}`
  return kind === 'word' ? 'a literal' : `a ${kind}`
}

function joinNotes(...notes: readonly (string | null)[]): string | null {
  const sentences = notes.filter((note) => note !== null)
  return sentences.length === 0 ? null : sentences.join('; ')
}
