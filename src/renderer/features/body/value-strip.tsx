/** Details of the tree's selected row: path, full text, meaning and actions, or a finding. */
import type { MenuEntry } from '../../ui-state/delivery-actions.ts'
import type { TreeRow } from './json-tree.ts'
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { meaningOf } from './value-meaning.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import { JsonNode, stepsOf } from '../../../shared/json/tree.ts'

/** Characters shown of a long value; copying includes all. */
const MAX_SHOWN = 20_000

/** Characters of a value that fits in its row. */
const MAX_ROW_VALUE = 80

/** Most steps of a path that is drawn; a longer one can only be copied. */
const MAX_PATH_STEPS = 100

interface ValueStripProps {
  readonly row: TreeRow
  readonly receivedAt: string
  readonly actions: readonly MenuEntry[]
  /** Callback that expands or collapses the whole tree. */
  readonly onFoldAll: (unfold: boolean) => void
}

export function ValueStrip({ row, receivedAt, actions, onFoldAll }: ValueStripProps) {
  const isValue = row instanceof JsonNode
  const meaning = isValue ? meaningOf(row, receivedAt) : null
  const resolved = isValue ? resolvedText(row) : null
  return (
    <div
      className="shrink-0 border-t border-line bg-raised text-small"
      role="group"
      aria-label="Selected value"
    >
      <div className="flex min-h-9 flex-wrap items-center gap-x-1 py-1 pr-3 pl-2">
        <IconButton label="Expand all" icon={ChevronsUpDown} onClick={() => onFoldAll(true)} />
        <IconButton label="Collapse all" icon={ChevronsDownUp} onClick={() => onFoldAll(false)} />
        {isValue ? (
          <ValuePath node={row} />
        ) : (
          <span
            className={`min-w-0 flex-1 py-1 ${row.note.tone === 'bad' ? 'text-bad' : 'text-muted'}`}
          >
            <FindingText finding={row.note} />
          </span>
        )}
        <span className="ml-auto flex flex-wrap">
          {actions.map(({ name, run }) => (
            <Button key={name} kind="quiet" className="h-6 px-1.5 text-small" onClick={run}>
              {name}
            </Button>
          ))}
        </span>
      </div>
      {meaning !== null && <p className="px-4 pb-2 text-muted">{meaning.title}</p>}
      {resolved !== null && (
        <div
          className="data max-h-32 overflow-auto border-t border-line px-4 py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap select-text"
          tabIndex={0}
          role="group"
          aria-label="Full value"
        >
          <ExactLines text={resolved.slice(0, MAX_SHOWN)} />
          {resolved.length > MAX_SHOWN && (
            <span className="font-sans text-subtle">
              … {(resolved.length - MAX_SHOWN).toLocaleString('en')} more characters. Copy the value
              to see all.
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function ValuePath({ node }: { readonly node: JsonNode }) {
  const { depth } = node
  const path =
    depth > MAX_PATH_STEPS ? `${depth.toLocaleString('en')} levels deep` : pathText(stepsOf(node))
  return (
    <span className="data min-w-0 truncate pl-1 text-muted" title={path}>
      <ExactText text={path} />
    </span>
  )
}

/** Returns the text of a long or escaped string; null if its row shows it completely. */
function resolvedText({ isContainer, raw, string }: JsonNode): string | null {
  if (isContainer) return null
  if (raw.length <= MAX_ROW_VALUE && (string === null || !raw.includes('\\'))) return null
  // Characters without a visible form are shown as sent.
  return string?.isWellFormed() === true ? string : raw
}
