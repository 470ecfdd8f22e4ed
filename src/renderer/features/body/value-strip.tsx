/** Details of the selected row: a value's path, full text, meaning and actions, or a finding's full text. */
import { ChevronsDownUp, ChevronsUpDown, Filter } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { isContainer, nodeKinds, unescaped, type JsonTree } from './json-tree.ts'
import type { Extra } from './tree-rows.ts'
import { meaningOf } from './value-meaning.ts'
import { plainValue, writtenPath, writtenValue } from './value-text.ts'

/** Characters of a long value shown here; copying includes all. */
const MOST_SHOWN = 20_000
/** From this length on, a value doesn't fit in its row. */
const LONG = 80
/** A path with more steps than this can be copied but isn't drawn. */
const DEEPEST_SHOWN = 100

export interface ValueStripProps {
  readonly text: string
  readonly tree: JsonTree
  /** Negative if a finding is selected: `extra`. */
  readonly node: number
  readonly extra: Extra | null
  readonly receivedAt: string
  /** Null if the value can't be used as a filter. */
  readonly onFilter: (() => void) | null
  /** Expands or collapses the whole tree. */
  readonly onFoldAll: (unfold: boolean) => void
}

export function ValueStrip({
  text,
  tree,
  node,
  extra,
  receivedAt,
  onFilter,
  onFoldAll,
}: ValueStripProps) {
  const meaning = node < 0 ? null : meaningOf(text, tree, node, receivedAt)
  const resolved = node < 0 ? null : resolvedText(text, tree, node)
  return (
    <div
      className="shrink-0 border-t border-line bg-raised text-small"
      role="group"
      aria-label="Selected value"
    >
      <div className="flex min-h-9 flex-wrap items-center gap-x-1 py-1 pr-3 pl-2">
        <IconButton
          label="Expand all"
          icon={<ChevronsUpDown size={14} aria-hidden />}
          onClick={() => onFoldAll(true)}
        />
        <IconButton
          label="Collapse all"
          icon={<ChevronsDownUp size={14} aria-hidden />}
          onClick={() => onFoldAll(false)}
        />
        {extra !== null && (
          <span
            className={`min-w-0 flex-1 py-1 ${extra.note.tone === 'bad' ? 'text-bad' : 'text-warn'}`}
          >
            <FindingText finding={extra.note} />
          </span>
        )}
        {node >= 0 && <ValueActions text={text} tree={tree} node={node} onFilter={onFilter} />}
      </div>
      {meaning !== null && (
        <p className={`px-4 pb-2 ${meaning.odd ? 'text-warn' : 'text-muted'}`}>{meaning.title}</p>
      )}
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
              … {(resolved.length - MOST_SHOWN).toLocaleString('en')} more characters. Copy the
              value to see all.
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function ValueActions({
  text,
  tree,
  node,
  onFilter,
}: Pick<ValueStripProps, 'text' | 'tree' | 'node' | 'onFilter'>) {
  const depth = tree.depths[node] ?? 0
  const path =
    depth > DEEPEST_SHOWN
      ? `${depth.toLocaleString('en')} levels deep`
      : writtenPath(text, tree, node)
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
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-small"
            icon={<Filter size={13} aria-hidden />}
            onClick={onFilter}
          >
            <span className="@max-[520px]:sr-only">Filter by this value</span>
          </Button>
        )}
      </span>
    </>
  )
}

/** The text of a string that is too long for its row or contains escapes; null if the row shows it completely. */
function resolvedText(text: string, tree: JsonTree, node: number): string | null {
  if (isContainer(tree, node)) return null
  const written = writtenValue(text, tree, node)
  if (tree.kinds[node] !== nodeKinds.string) return written.length > LONG ? written : null
  if (written.length <= LONG && !written.includes('\\')) return null
  const value = unescaped(written)
  // Characters without a visible form are shown as sent.
  return value.isWellFormed() ? value : written
}
