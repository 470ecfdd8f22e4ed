/** The tree of a body with its findings, menu, keys, and the strip for the selected value. */
import { ContextMenu } from '@base-ui/react/context-menu'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import type { Delivery, SchemaReport } from '../../../shared/model/delivery.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { copyText } from '../../ui/copy.tsx'
import { Keys } from '../../ui/keys.tsx'
import { BodyTree, useTree } from './body-tree.tsx'
import type { Highlight } from './find-text.ts'
import { isContainer, type JsonTree } from './json-tree.ts'
import { annotate, noAnnotations } from './tree-rows.ts'
import { ValueStrip } from './value-strip.tsx'
import { filterTerm, plainValue, writtenPath, writtenValue } from './value-text.ts'

export interface TreePaneProps {
  readonly delivery: Delivery
  readonly text: string
  readonly tree: JsonTree
  readonly schema: SchemaReport | null
  readonly newFields: ReadonlySet<string>
  readonly highlight: Highlight | null
  readonly reveal: { readonly at: number } | null
}

export function TreePane({ delivery, text, tree, schema, newFields, highlight, reveal }: TreePaneProps) {
  const { draft, setDraft } = useParts('filter', 'draft', 'setDraft')
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const annotations = useMemo(
    () => (schema === null ? noAnnotations : annotate(text, tree, schema, (steps) => fieldOrder(schema.event, steps))),
    [text, tree, schema],
  )
  const state = useTree(tree, annotations)
  const { goTo, goToFinding } = state
  const revealed = useRef<TreePaneProps['reveal']>(null)
  useEffect(() => {
    if (reveal === revealed.current || reveal === null) return
    revealed.current = reveal
    goTo(reveal.at)
  }, [reveal, goTo])

  const { shownPath, pathShown } = useParts('body', 'shownPath', 'pathShown')
  useEffect(() => {
    if (shownPath?.id !== delivery.id || schema === null) return
    goToFinding(shownPath.path)
    pathShown()
  }, [shownPath, pathShown, goToFinding, delivery.id, schema])

  const node = state.selected
  const term = node < 0 ? null : filterTerm(text, tree, node)
  const filter = () => {
    if (term !== null && !draft.split(' ').includes(term)) setDraft(`${draft} ${term}`.trim())
  }
  const copy = (what: typeof plainValue) => {
    if (node >= 0) void copyText(what(text, tree, node))
  }

  const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    if (altKey || node < 0) return false
    if ((ctrlKey || metaKey) && key === 'c') {
      // Text selected with the mouse is copied as usual.
      if (document.getSelection()?.isCollapsed === false) return false
      copy(plainValue)
      return true
    }
    if (ctrlKey || metaKey || !singleKeys) return false
    if (key === 'C') copy(writtenPath)
    else if (key === 'F' && term !== null) filter()
    else return false
    return true
  }

  const actions: readonly TreeAction[] =
    node < 0
      ? []
      : [
          {
            name: 'Copy value',
            keys: 'Mod+C',
            run: () => {
              copy(plainValue)
            },
          },
          {
            name: 'Copy as sent',
            run: () => {
              copy(writtenValue)
            },
          },
          {
            name: 'Copy path',
            keys: 'Shift+C',
            run: () => {
              copy(writtenPath)
            },
          },
          ...(term === null ? [] : [{ name: 'Filter by this value', keys: 'Shift+F', run: filter }]),
          ...(isContainer(tree, node)
            ? [
                {
                  name: 'Expand all children',
                  keys: '*',
                  run: () => {
                    state.fold(node, true, true)
                  },
                },
                {
                  name: 'Collapse all children',
                  keys: 'Shift+ArrowLeft',
                  run: () => {
                    state.fold(node, false, true)
                  },
                },
              ]
            : []),
        ]

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <TreeMenu actions={actions}>
          <BodyTree
            text={text}
            tree={tree}
            state={state}
            annotations={annotations}
            newFields={newFields}
            event={delivery.event}
            receivedAt={delivery.receivedAt}
            highlight={highlight}
            onKey={onKey}
          />
        </TreeMenu>
      </div>
      <ValueStrip
        text={text}
        tree={tree}
        node={node}
        extra={annotations.extras[-1 - node] ?? null}
        receivedAt={delivery.receivedAt}
        onFilter={term === null ? null : filter}
        onFoldAll={(unfold) => {
          state.fold(0, unfold, true)
          if (!unfold) state.fold(0, true)
        }}
      />
    </div>
  )
}

interface TreeAction {
  readonly name: string
  readonly keys?: string
  readonly run: () => void
}

function TreeMenu({ actions, children }: { readonly actions: readonly TreeAction[]; readonly children: ReactNode }) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full min-h-0">{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-50">
          <ContextMenu.Popup className="min-w-52 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {actions.map(({ name, keys, run }) => (
              <ContextMenu.Item
                key={name}
                onClick={run}
                className="flex h-7 items-center gap-6 rounded-small px-2 outline-none data-highlighted:bg-control"
              >
                <span className="flex-1">{name}</span>
                {keys !== undefined && <Keys keys={keys} />}
              </ContextMenu.Item>
            ))}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}
