/** The selected row: a value's path, the whole of it, what it means and what can be done with it; or the whole of a finding. */
import { ChevronsDownUp, ChevronsUpDown, Filter } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { isContainer, nodeKinds, unescaped, type JsonTree } from './json-tree.ts'
import type { Extra } from './tree-rows.ts'
import { meaningOf } from './value-meaning.ts'
import { plainValue, writtenPath, writtenValue } from './value-text.ts'

/** Characters of a long value that are shown here; copying takes all of it. */
const MOST_SHOWN = 20_000
/** From here on a value does not fit its row. */
const LONG = 80
/** A path of more steps than this is copied, and not drawn. */
const DEEPEST_SHOWN = 100

export interface ValueStripProps {
  readonly text: string
  readonly tree: JsonTree
  /** Negative where a finding's row is selected: `extra`. */
  readonly node: number
  readonly extra: Extra | null
  readonly receivedAt: string
  /** Null where one cannot filter by it. */
  readonly onFilter: (() => void) | null
  /** Unfolds or folds the whole tree. */
  readonly onFoldAll: (unfold: boolean) => void
}

export function ValueStrip({ text, tree, node, extra, receivedAt, onFilter, onFoldAll }: ValueStripProps) {
  const meaning = node < 0 ? null : meaningOf(text, tree, node, receivedAt)
  const resolved = node < 0 ? null : resolvedText(text, tree, node)
  return (
    <div className="shrink-0 border-t border-line bg-raised text-small" role="group" aria-label="Selected value">
      <div className="flex min-h-9 flex-wrap items-center gap-x-1 py-1 pr-3 pl-2">
        <IconButton
          label="Expand all"
          icon={<ChevronsUpDown size={14} aria-hidden />}
          onClick={() => {
            onFoldAll(true)
          }}
        />
        <IconButton
          label="Collapse all"
          icon={<ChevronsDownUp size={14} aria-hidden />}
          onClick={() => {
            onFoldAll(false)
          }}
        />
        {extra !== null && (
          <span className={`min-w-0 flex-1 py-1 ${extra.note.tone === 'bad' ? 'text-bad' : 'text-warn'}`}>
            <FindingText finding={extra.note} />
          </span>
        )}
        {node >= 0 && <ValueActions text={text} tree={tree} node={node} onFilter={onFilter} />}
      </div>
      {meaning !== null && <p className={`px-4 pb-2 ${meaning.odd ? 'text-warn' : 'text-muted'}`}>{meaning.title}</p>}
      {resolved !== null && (
        <div
          className="data max-h-32 overflow-auto border-t border-line px-4 py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap select-text"
          tabIndex={0}
          role="group"
          aria-label="Full value"
        >
          <ExactLines text={resolved.slice(0, MOST_SHOWN)} />
          {resolved.length > MOST_SHOWN && (
            <span className="font-sans text-subtle">
              … {(resolved.length - MOST_SHOWN).toLocaleString('en')} more characters. Copy the value to see all.
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function ValueActions({ text, tree, node, onFilter }: Pick<ValueStripProps, 'text' | 'tree' | 'node' | 'onFilter'>) {
  const depth = tree.depths[node] ?? 0
  const path = depth > DEEPEST_SHOWN ? `${depth.toLocaleString('en')} levels deep` : writtenPath(text, tree, node)
  return (
    <>
      <span className="flex min-w-0 items-center gap-1">
        <span className="data min-w-0 truncate pl-1 text-muted" title={path}>
          <ExactText text={path} />
        </span>
        <CopyButton text={() => writtenPath(text, tree, node)} label="Copy path" />
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-1">
        <CopyButton
          text={() => plainValue(text, tree, node)}
          label="Copy value, without quotes and escapes"
          caption="Copy value"
        />
        <CopyButton
          text={() => writtenValue(text, tree, node)}
          label="Copy as sent, with quotes and escapes"
          caption="Copy as sent"
        />
        {onFilter !== null && (
          <Button kind="quiet" className="h-6 px-1.5 text-small" icon={<Filter size={13} aria-hidden />} onClick={onFilter}>
            <span className="@max-[520px]:sr-only">Filter by this value</span>
          </Button>
        )}
      </span>
    </>
  )
}

/** The text of a string that does not fit its row, or that is written with escapes; null where the row says it all. */
function resolvedText(text: string, tree: JsonTree, node: number): string | null {
  if (isContainer(tree, node)) return null
  const written = writtenValue(text, tree, node)
  if (tree.kinds[node] !== nodeKinds.string) return written.length > LONG ? written : null
  if (written.length <= LONG && !written.includes('\\')) return null
  const value = unescaped(written)
  // What has no form as characters is shown as it was sent.
  return value.isWellFormed() ? value : written
}
