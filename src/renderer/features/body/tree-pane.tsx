/** The tree of a body, with its menu, keys, and the strip for the selected value. */
import { ContextMenu } from '@base-ui/react/context-menu'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { fieldOrder } from '../../../shared/service/payload-schemas.ts'
import type { Delivery, SchemaReport } from '../../../shared/model/delivery.ts'
import { negated } from '../../../shared/query/edit-query.ts'
import type { MenuEntry } from '../../ui-state/delivery-actions.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { MenuContent, type MenuContentProps } from '../../connected/delivery-menu.tsx'
import { menuStyle } from '../../ui/menu.tsx'
import { BodyTree } from './body-tree.tsx'
import { useTree, type TreeState } from './use-tree.ts'
import { annotate, noAnnotations, type JsonTree } from './json-tree.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import { JsonNode, stepsOf } from '../../../shared/json/tree.ts'
import { plainValue, filterTerm } from './value-text.ts'
import { ValueStrip } from './value-strip.tsx'

interface TreePaneProps {
  readonly delivery: Delivery
  readonly tree: JsonTree
  readonly schema: SchemaReport | null
  readonly newFields: ReadonlySet<string>
  readonly reveal: { readonly at: number } | null
}

export function TreePane({ delivery, tree, schema, newFields, reveal }: TreePaneProps) {
  const annotations = useMemo(
    () =>
      schema === null
        ? noAnnotations
        : annotate(tree.root, schema, (steps) => fieldOrder(schema.event, steps)),
    [tree, schema],
  )
  const state = useTree(tree, annotations)
  useReveal(state, { delivery, schema, reveal })
  const { selected } = state
  const node = selected instanceof JsonNode ? selected : null
  const { actions, menuActions } = useValueActions(state, node)
  const onKey = useActionKeys(actions)

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
          entries={[...actions, ...menuActions]}
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

/** Selects the value to reveal, or the one that another tab leads to. */
function useReveal(
  state: TreeState,
  { delivery, schema, reveal }: Pick<TreePaneProps, 'delivery' | 'schema' | 'reveal'>,
) {
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
}

/** Returns the actions on a value for both the strip and the menu, and those for the menu only. */
function useValueActions(state: TreeState, node: JsonNode | null) {
  const menu = useApp((app) => app.menu)
  const term = node && filterTerm(node)
  const copyEntry = (name: string, text: () => string, title: string, keys?: string) => ({
    name,
    icon: 'copy' as const,
    ...(keys === undefined ? {} : { keys }),
    run: () => void menu.copy(text(), title),
  })
  const actions: readonly MenuEntry[] =
    node === null
      ? []
      : [
          copyEntry('Copy value', () => plainValue(node), 'Copied the value', 'Mod+C'),
          copyEntry('Copy as sent', () => node.raw, 'Copied the value as sent'),
          copyEntry('Copy path', () => pathText(stepsOf(node)), 'Copied the path', 'Shift+C'),
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
  const menuActions: readonly MenuEntry[] = [
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
  return { actions, menuActions }
}

/** Returns a handler of the actions' keys, which returns whether it handled one. */
function useActionKeys(actions: readonly MenuEntry[]) {
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  return ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    const isCommand = ctrlKey || metaKey
    // The browser copies text selected with the mouse.
    if (isCommand && document.getSelection()?.isCollapsed === false) return false
    const pressed = isCommand ? `Mod+${key.toUpperCase()}` : singleKeys ? `Shift+${key}` : ''
    const action = altKey ? undefined : actions.find(({ keys }) => keys === pressed)
    action?.run()
    return action !== undefined
  }
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
