/** The tree of a body with its findings, menu, keys, and the strip for the selected value. */
import { ContextMenu } from '@base-ui/react/context-menu'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import type { Delivery, SchemaReport } from '../../../shared/model/delivery.ts'
import { negated } from '../../../shared/query/terms.ts'
import type { MenuEntry } from '../../state/delivery-actions.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { copyText } from '../../ui/copy.tsx'
import { MenuContent, type MenuContentProps } from '../../ui/delivery-menu.tsx'
import { useWidth } from '../../ui/use-place.ts'
import { menuLook } from '../../ui/menu.tsx'
import { BodyTree, useTree } from './body-tree.tsx'
import type { Highlight } from './find-text.ts'
import { isContainer, type JsonTree } from './json-tree.ts'
import { annotate, noAnnotations, wrapped } from './tree-rows.ts'
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

export function TreePane({
  delivery,
  text,
  tree,
  schema,
  newFields,
  highlight,
  reveal,
}: TreePaneProps) {
  const filterBy = useApp((state) => state.menu.filterBy)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const { ref: frame, width } = useWidth()
  const found = useMemo(
    () =>
      schema === null
        ? noAnnotations
        : annotate(text, tree, schema, (steps) => fieldOrder(schema.event, steps)),
    [text, tree, schema],
  )
  const annotations = useMemo(
    () => (width === null ? found : wrapped(found, width)),
    [found, width],
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
    if (term !== null) filterBy(term)
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

  const actions: readonly MenuEntry[] =
    node < 0
      ? []
      : [
          {
            name: 'Copy value',
            icon: 'copy' as const,
            keys: 'Mod+C',
            run: () => copy(plainValue),
          },
          {
            name: 'Copy as sent',
            run: () => copy(writtenValue),
          },
          {
            name: 'Copy path',
            keys: 'Shift+C',
            run: () => copy(writtenPath),
          },
          ...(term === null
            ? []
            : [
                { name: 'Filter by this', icon: 'filter' as const, keys: 'Shift+F', run: filter },
                {
                  name: 'Exclude this',
                  icon: 'exclude' as const,
                  run: () => filterBy(negated(term)),
                },
              ]),
          ...(isContainer(tree, node)
            ? [
                {
                  name: 'Expand all children',
                  keys: '*',
                  run: () => state.fold(node, true, true),
                },
                {
                  name: 'Collapse all children',
                  keys: 'Shift+ArrowLeft',
                  run: () => state.fold(node, false, true),
                },
              ]
            : []),
        ]

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={frame} className="min-h-0 flex-1">
        <TreeMenu
          rows={[delivery]}
          value={
            node < 0
              ? null
              : {
                  name: writtenPath(text, tree, node),
                  text: isContainer(tree, node) ? '' : plainValue(text, tree, node).slice(0, 200),
                }
          }
          entries={actions}
        >
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

function TreeMenu({ children, ...content }: MenuContentProps & { readonly children: ReactNode }) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full min-h-0">{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-50">
          <ContextMenu.Popup aria-label="Value and delivery" className={`${menuLook} min-w-64`}>
            <MenuContent {...content} />
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}
