/** The difference between two JSON documents as readable lines: differences with their path, unchanged parts folded. */
import { counted } from '../text/counted.ts'
import type { JsonNode } from '../json/tree.ts'
import { showPath, type Path } from './path.ts'
import {
  clipped,
  nothingOpened,
  unchangedSentence,
  unfolded,
  whole,
  type DiffRow,
  type OpenedFolds,
  type DiffPiece,
  isVolatilePath,
  type VolatileFields,
} from './rows.ts'
import type { Delta, Entry } from './structure.ts'
import { diffWords } from './words.ts'

/** Maximum number of lines. Nobody reads more. */
export const MOST_ROWS = 20_000
/** New objects and arrays are listed field by field down to this depth; deeper ones on one line. */
const DEEPEST_NEW = 40

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

/** The lines of a difference, whether there are more than can be shown, and whether any of them (shown or not) counts. */
export function structureRows({ delta, volatile, opened = nothingOpened }: StructureInput): {
  rows: DiffRow[]
  isCut: boolean
  differs: boolean
} {
  const rows: DiffRow[] = []
  let differs = false
  /** After the last shown line, the search for a counted difference continues. */
  const isSettled = () => differs && rows.length > MOST_ROWS
  const add = (line: Line, row: Partial<DiffRow> & Pick<DiffRow, 'kind'>) => {
    if (isSettled()) return
    const isCounted = row.kind !== 'open' && row.kind !== 'fold' && row.kind !== 'same'
    const isIgnored = isCounted && isVolatilePath(volatile, line.path)
    differs ||= isCounted && !isIgnored
    if (rows.length > MOST_ROWS) return
    rows.push({
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
  const shown = ({ raw }: JsonNode) => clipped(raw)

  const addWhole = (kind: 'added' | 'removed', node: JsonNode, line: Line) => {
    if (isSettled()) return
    const side = kind === 'added' ? 'right' : 'left'
    if (node.children.length === 0 || line.depth > DEEPEST_NEW) {
      add(line, { kind, [side]: whole(shown(node)) })
      return
    }
    const size = node.children.length
    const sizeWord = counted(size, node.kind === 'object' ? 'field' : 'item')
    add(line, { kind, [side]: whole(node.kind === 'object' ? '{' : '['), note: sizeWord })
    for (const child of node.children) addWhole(kind, child, under(line, child))
  }

  const addDelta = (found: Delta, line: Line, note: string | null) => {
    if (found.kind === 'replaced') {
      if (
        found.left.kind !== found.right.kind &&
        found.left.children.length + found.right.children.length > 0
      ) {
        add(line, {
          kind: 'changed',
          left: whole(shown(found.left)),
          right: whole(shown(found.right)),
          note: `changed from ${kindWord(found.left)} to ${kindWord(found.right)}`,
        })
        return
      }
      const [leftPieces, rightPieces] = pieces(
        shown(found.left),
        shown(found.right),
        found.left.kind === 'string',
      )
      const how = found.isForm ? formNote(found.left) : null
      add(line, {
        kind: found.isForm ? 'form' : 'changed',
        left: leftPieces,
        right: rightPieces,
        note: join(how, note),
      })
      return
    }
    const isObject = found.left.kind === 'object'
    const reordered = found.entries.some(({ isMoved }) => isMoved)
    const why = isObject && reordered ? 'fields in another order' : null
    const open = whole(isObject ? '{' : '[')
    // The order of fields has no meaning, so another order counts as reformatted.
    add(line, {
      kind: why === null ? 'open' : 'form',
      left: open,
      right: open,
      note: join(why, note),
    })
    addChildren(found, line)
  }

  const addChildren = (found: Extract<Delta, { kind: 'children' }>, line: Line) => {
    const isObject = found.left.kind === 'object'
    /** Consecutive positions of unchanged values. */
    let same: number[] = []
    const endSame = () => {
      unfolded(same.length, opened, (index) => `same ${same[index] ?? 0} ${showPath(line.path)}`, {
        line(index) {
          const at = same[index] ?? 0
          const node = found.right.children[at]
          if (node === undefined) return
          const text = whole(shown(node))
          add(under(line, node), { kind: 'same', left: text, right: text })
        },
        fold(count, opens) {
          const note = unchangedSentence(count)
          add(
            { ...line, depth: line.depth + 1, label: '' },
            { kind: 'fold', note, opens: [opens], unchanged: count },
          )
        },
      })
      same = []
    }
    const gone = [...found.removed]
    /** Shows removed values before their old position. */
    const addGone = (before: number) => {
      while (gone.length > 0 && (gone[0] ?? 0) < before) {
        const index = gone.shift() ?? 0
        const node = found.left.children[index]
        endSame()
        if (node !== undefined) addWhole('removed', node, under(line, node))
      }
    }
    found.entries.forEach((entry, index) => {
      const node = found.right.children[index]
      if (node === undefined) return
      const at = under(line, node)
      if (entry.from !== null && !entry.isMoved) addGone(entry.from)
      const rename = renamed(found, entry, index)
      const moved = entry.isMoved && !isObject
      if (entry.from !== null && entry.delta === null && !moved && rename === null) {
        same.push(index)
        return
      }
      endSame()
      if (entry.from === null) addWhole('added', node, at)
      else if (moved) {
        const note = `moved from ${entry.from} to ${index}`
        if (entry.delta === null)
          add(at, {
            kind: 'moved',
            left: whole(shown(node)),
            right: whole(shown(node)),
            note,
          })
        else {
          add(at, { kind: 'moved', left: whole('…'), right: whole('…'), note })
          addDelta(entry.delta, { ...at, depth: at.depth + 1 }, null)
        }
      } else if (entry.delta === null)
        add(at, {
          kind: 'form',
          left: whole(rename?.[0] ?? ''),
          right: whole(rename?.[1] ?? ''),
          note: 'same name, escaped differently',
        })
      else addDelta(entry.delta, at, rename === null ? null : 'same name, escaped differently')
    })
    addGone(Number.POSITIVE_INFINITY)
    endSame()
  }

  if (delta !== null) {
    const top: Line = { path: [], label: '', depth: 0 }
    // The outermost braces are left out: differences begin at the left edge.
    const isQuiet =
      delta.kind === 'children' &&
      !(delta.left.kind === 'object' && delta.entries.some(({ isMoved }) => isMoved))
    if (isQuiet) addChildren(delta, { ...top, depth: -1 })
    else addDelta(delta, top, null)
  }
  const isCut = rows.length > MOST_ROWS
  return { rows: isCut ? rows.slice(0, MOST_ROWS) : rows, isCut, differs }
}

/** A field's name as each side wrote it, if they differ only in escaping. */
function renamed(
  found: Extract<Delta, { kind: 'children' }>,
  { from }: Entry,
  index: number,
): readonly [string, string] | null {
  const before = from === null ? null : found.left.children[from]?.rawName
  const after = found.right.children[index]?.rawName
  return before == null || after == null || before === after ? null : [before, after]
}

function under(line: Line, { name, place }: JsonNode): Line {
  const step = name ?? place
  // An empty label would mean the whole body.
  return {
    path: [...line.path, step],
    label: step === '' ? '""' : String(step),
    depth: line.depth + 1,
  }
}

function pieces(
  left: string,
  right: string,
  isText: boolean,
): readonly [readonly DiffPiece[], readonly DiffPiece[]] {
  return isText ? diffWords(left, right) : [whole(left), whole(right)]
}

function formNote(node: JsonNode): string {
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

function join(...notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null)
  return said.length === 0 ? null : said.join('; ')
}
