/** Bytes as text, formatted if JSON, or as hex if binary. */
import { useMemo, type ReactNode } from 'react'
import { pathText } from '../../../shared/body/json-path.ts'
import { placeInFormatted } from '../../../shared/json/format.ts'
import { nodesOf, stepsOf } from '../../../shared/json/tree.ts'
import { Code } from '../../ui/code.tsx'
import { byteSize } from '../../ui/moment.ts'
import { LONGEST_TEXT, readText, textToShow } from './body-text.ts'
import { treeOf } from './json-tree.ts'
import { hexRow, hexRowCount } from '../../ui/hex-rows.ts'
import { LineList } from '../../ui/scroller.tsx'

export const CODE_ROW_HEIGHT = 20

export function BodyBytes({
  label,
  bytes,
  cut,
  asSent = false,
  mostRows,
  checked,
}: {
  readonly label: string
  readonly bytes: Uint8Array
  /** Whether the bytes are incomplete. */
  readonly cut: boolean
  readonly asSent?: boolean
  /** Maximum height in rows, for a pane that scrolls as a whole. */
  readonly mostRows?: number
  /** Paths of checked values, and whether each is as expected. */
  readonly checked?: ReadonlyMap<string, boolean>
}) {
  const read = useMemo(() => readText(bytes, cut, null), [bytes, cut])
  const shown = useMemo(() => textToShow(read, asSent ? 'text' : 'formatted'), [read, asSent])
  const marks = useMemo(
    () => marksOf(read.text, shown.text, checked ?? new Map()),
    [read, shown, checked],
  )
  if (read.binary) {
    const rows = Math.min(hexRowCount(bytes.length), mostRows ?? 0)
    return (
      <div
        style={
          mostRows === undefined ? undefined : { height: rows * CODE_ROW_HEIGHT + SCROLLBAR_HEIGHT }
        }
      >
        <HexRows label={label} bytes={bytes} />
      </div>
    )
  }
  return (
    <>
      <TextLimit size={bytes.length} />
      <Code
        label={label}
        text={shown.text}
        json={shown.isJson}
        wrap
        marks={marks}
        {...(mostRows === undefined ? {} : { mostRows })}
      />
    </>
  )
}

/** Explains how much of a long body is shown as text. */
export function TextLimit({
  size,
  hex = false,
}: {
  readonly size: number
  readonly hex?: boolean
}) {
  if (size <= LONGEST_TEXT) return null
  return (
    <BodyNotice tone="quiet">
      Text shows the first {byteSize(LONGEST_TEXT)} of {byteSize(size)}.
      {hex ? ' "Hex", "Copy" and "Save" include all.' : ''}
    </BodyNotice>
  )
}

/** Space for a scrollbar below the last row, in pixels. */
const SCROLLBAR_HEIGHT = 10

/** Returns the positions of checked values in the shown text. */
function marksOf(
  text: string,
  shown: string,
  checked: ReadonlyMap<string, boolean>,
): ReadonlyMap<number, boolean> {
  const marks = new Map<number, boolean>()
  const tree = checked.size === 0 ? null : treeOf(text, true)
  for (const node of tree === null ? [] : nodesOf(tree.root)) {
    if (marks.size === checked.size) break
    const passed = checked.get(pathText(stepsOf(node)))
    if (passed !== undefined) marks.set(placeInFormatted(text, shown, node.start), passed)
  }
  return marks
}

export function HexRows({ label, bytes }: { readonly label: string; readonly bytes: Uint8Array }) {
  return (
    <LineList
      label={label}
      count={hexRowCount(bytes.length)}
      rowHeight={CODE_ROW_HEIGHT}
      isWide
      line={(index) => {
        const { offset, hex, characters } = hexRow(bytes, index)
        return (
          <div key={index} className="flex h-5 leading-5 whitespace-pre">
            <span
              className="sticky left-0 w-16 shrink-0 bg-surface pr-3 text-right text-subtle select-none"
              aria-hidden
            >
              {offset.slice(-6)}
            </span>
            <span className="pr-6">
              {hex} <span className="border-l border-line pl-3 text-muted">{characters}</span>
            </span>
          </div>
        )
      }}
    />
  )
}

export function BodyNotice({
  tone,
  action,
  children,
}: {
  readonly tone: 'quiet' | 'warn'
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div
      role="status"
      className={`flex min-h-9 shrink-0 items-center gap-2 border-b border-line py-1 pr-2 pl-4 text-small ${
        tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-raised text-muted'
      }`}
    >
      <span className="min-w-0 flex-1">{children}</span>
      {action}
    </div>
  )
}
