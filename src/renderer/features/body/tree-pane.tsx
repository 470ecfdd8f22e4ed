/** The tree of a body with its findings, menu, keys, and the strip for the selected value. */
import { ContextMenu } from '@base-ui/react/context-menu'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import type { Delivery, SchemaReport } from '../../../shared/model/delivery.ts'
import { negated, termOf } from '../../../shared/query/terms.ts'
import type { MenuEntry } from '../../ui-state/delivery-actions.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { MenuContent, type MenuContentProps } from '../../ui/delivery-menu.tsx'
import { menuStyle } from '../../ui/menu.tsx'
import { BodyTree, useTree } from './body-tree.tsx'
import { annotate, noAnnotations, type JsonTree, type TreeRow } from './json-tree.ts'
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { meaningOf } from './value-meaning.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { JsonNode, stepsOf } from '../../../shared/json/tree.ts'

interface TreePaneProps {
  readonly delivery: Delivery
  readonly tree: JsonTree
  readonly schema: SchemaReport | null
  readonly newFields: ReadonlySet<string>
  readonly reveal: { readonly at: number } | null
}

export function TreePane({ delivery, tree, schema, newFields, reveal }: TreePaneProps) {
  const menu = useApp((state) => state.menu)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const annotations = useMemo(
    () =>
      schema === null
        ? noAnnotations
        : annotate(tree.root, schema, (steps) => fieldOrder(schema.event, steps)),
    [tree, schema],
  )
  const state = useTree(tree, annotations)
  const { goTo, goToFinding } = state
  const revealed = useRef<TreePaneProps['reveal']>(null)
  useEffect(() => {
    if (reveal === revealed.current || reveal === null) return
    revealed.current = reveal
    goTo(reveal.at)
  }, [reveal, goTo])

  const { shownPath, display } = useParts('detail', 'shownPath', 'display')
  useEffect(() => {
    if (shownPath?.id !== delivery.id || schema === null) return
    goToFinding(shownPath.path)
    display({ shownPath: null })
  }, [shownPath, display, goToFinding, delivery.id, schema])

  const { selected } = state
  const node = selected instanceof JsonNode ? selected : null
  const term = node && filterTerm(node)
  const copying = (name: string, text: () => string, title: string, keys?: string) => ({
    name,
    icon: 'copy' as const,
    ...(keys === undefined ? {} : { keys }),
    run: () => void menu.copy(text(), title),
  })
  /** In the strip below the tree, and in the menu of the value. */
  const actions: readonly MenuEntry[] =
    node === null
      ? []
      : [
          copying('Copy value', () => plainValue(node), 'Copied the value', 'Mod+C'),
          copying('Copy as sent', () => node.raw, 'Copied the value as sent'),
          copying('Copy path', () => pathText(stepsOf(node)), 'Copied the path', 'Shift+C'),
          ...(term === null
            ? []
            : [
                {
                  name: 'Filter by this',
                  icon: 'filter' as const,
                  keys: 'Shift+F',
                  run: () => menu.filterBy(term),
                },
              ]),
        ]
  const more: readonly MenuEntry[] = [
    ...(term === null
      ? []
      : [
          {
            name: 'Exclude this',
            icon: 'exclude' as const,
            run: () => menu.filterBy(negated(term)),
          },
        ]),
    ...(node?.isContainer === true
      ? [
          { name: 'Expand all children', keys: '*', run: () => state.fold(node, true, true) },
          {
            name: 'Collapse all children',
            keys: 'Shift+ArrowLeft',
            run: () => state.fold(node, false, true),
          },
        ]
      : []),
  ]
  const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    const isCommand = ctrlKey || metaKey
    // Text selected with the mouse is copied as usual.
    if (isCommand && document.getSelection()?.isCollapsed === false) return false
    const pressed = isCommand ? `Mod+${key.toUpperCase()}` : singleKeys ? `Shift+${key}` : ''
    const action = altKey ? undefined : actions.find(({ keys }) => keys === pressed)
    action?.run()
    return action !== undefined
  }

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <TreeMenu
          rows={[delivery]}
          value={
            node && {
              name: pathText(stepsOf(node)),
              text: node.isContainer ? '' : plainValue(node).slice(0, 200),
            }
          }
          entries={[...actions, ...more]}
        >
          <BodyTree
            tree={tree}
            state={state}
            newFields={newFields}
            event={delivery.event}
            receivedAt={delivery.receivedAt}
            onKey={onKey}
          />
        </TreeMenu>
      </div>
      <ValueStrip
        row={selected}
        receivedAt={delivery.receivedAt}
        actions={actions}
        onFoldAll={(unfold) => {
          state.fold(tree.root, unfold, true)
          if (!unfold) state.fold(tree.root, true)
        }}
      />
    </div>
  )
}

function TreeMenu({ children, ...content }: MenuContentProps & { readonly children: ReactNode }) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full min-h-0">{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-50">
          <ContextMenu.Popup aria-label="Value and delivery" className={`${menuStyle} min-w-64`}>
            <MenuContent {...content} />
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

// Details of the selected row: a value's path, full text, meaning and actions, or a finding's full text.

/** Characters of a long value shown here; copying includes all. */
const MOST_SHOWN = 20_000
/** From this length on, a value doesn't fit in its row. */
const LONG = 80
/** A path with more steps than this can be copied but isn't drawn. */
const DEEPEST_SHOWN = 100

interface ValueStripProps {
  readonly row: TreeRow
  readonly receivedAt: string
  readonly actions: readonly MenuEntry[]
  /** Expands or collapses the whole tree. */
  readonly onFoldAll: (unfold: boolean) => void
}

function ValueStrip({ row, receivedAt, actions, onFoldAll }: ValueStripProps) {
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
            className={`min-w-0 flex-1 py-1 ${row.note.tone === 'bad' ? 'text-bad' : 'text-warn'}`}
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

function ValuePath({ node }: { readonly node: JsonNode }) {
  const { depth } = node
  const path =
    depth > DEEPEST_SHOWN ? `${depth.toLocaleString('en')} levels deep` : pathText(stepsOf(node))
  return (
    <span className="data min-w-0 truncate pl-1 text-muted" title={path}>
      <ExactText text={path} />
    </span>
  )
}

/** The text of a string that is too long for its row or contains escapes; null if the row shows it completely. */
function resolvedText({ isContainer, raw, string }: JsonNode): string | null {
  if (isContainer) return null
  if (raw.length <= LONG && (string === null || !raw.includes('\\'))) return null
  // Characters without a visible form are shown as sent.
  return string?.isWellFormed() === true ? string : raw
}

// Text forms of a body value for copying, naming and filtering.

/** The value as meant: a string without quotes and escapes, an object or array formatted. */
function plainValue({ isContainer, raw, string }: JsonNode): string {
  return string ?? (isContainer ? (formatJson(raw) ?? raw) : raw)
}

/** A filter term that matches this value; null for objects, arrays and the root. */
export function filterTerm(node: JsonNode): string | null {
  const steps = stepsOf(node)
  if (node.isContainer || steps.length === 0) return null
  const value = plainValue(node)
  const path = pathText(steps)
  // A single word could be a field of the filter, and so could `header.name`.
  const name =
    path.startsWith('$') || (steps.length > 1 && steps[0] !== 'header') ? path : `$.${path}`
  // A number in quotes would only find a string.
  return node.kind === 'string' ? termOf(name, value) : `${name}:${value}`
}
