/**
 * The context menu of deliveries and their values, opened by a right click, Shift+F10 or the Menu
 * key.
 */
import { Menu } from '@base-ui/react/menu'
import {
  Copy,
  CornerDownLeft,
  Download,
  Fingerprint,
  FunnelX,
  GitCompareArrows,
  ListFilter,
  Pin,
  RotateCw,
  Share2,
  Shrink,
  SlidersHorizontal,
  SquareTerminal,
  StickyNote,
  TextQuote,
  Trash2,
  type LucideIcon,
} from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import {
  actionGroups,
  valueEntries,
  type DeliveryActionId,
  type MenuEntry,
  type OfferedAction,
} from '../ui-state/delivery-actions.ts'
import { useApp, useAppStore } from '../ui-state/use-app.ts'
import { IconButton } from '../ui/button.tsx'
import { ExactText } from '../ui/exact-text.tsx'
import { Keys } from '../ui/keys.tsx'
import { MenuItem, MenuLine, menuStyle } from '../ui/menu.tsx'
import type { MenuValue } from '../ui/menu-value.ts'

const icons: Readonly<Record<DeliveryActionId, LucideIcon>> = {
  open: CornerDownLeft,
  replay: RotateCw,
  'replay-compose': SlidersHorizontal,
  'compare-previous': GitCompareArrows,
  'copy-id': Fingerprint,
  'copy-body': Copy,
  'copy-curl': SquareTerminal,
  'copy-shrink': Shrink,
  'copy-markdown': TextQuote,
  export: Download,
  share: Share2,
  pin: Pin,
  note: StickyNote,
  delete: Trash2,
}

const entryIcons: Readonly<Record<NonNullable<MenuEntry['icon']>, LucideIcon>> = {
  filter: ListFilter,
  exclude: FunnelX,
  copy: Copy,
}

export function ActionItems({ actions }: { readonly actions: readonly OfferedAction[] }) {
  return actions.map(({ id, label, keys, run }) => {
    const Icon = icons[id]
    return (
      <MenuItem key={id} kind={id === 'delete' ? 'danger' : undefined} onClick={run}>
        <Icon size={13} className="text-subtle" />
        <span className="flex-1">{label}</span>
        {keys !== null && <Keys keys={keys} />}
      </MenuItem>
    )
  })
}

export function ActionButtons({ actions }: { readonly actions: readonly OfferedAction[] }) {
  return actions.map(({ id, key, label, run }) => {
    const Icon = icons[id]
    const shortcut = key === null ? {} : { shortcut: key }
    return <IconButton key={id} label={label} {...shortcut} icon={Icon} onClick={run} />
  })
}

function Entries({ entries }: { readonly entries: readonly MenuEntry[] }) {
  return entries.map(({ name, icon, keys, run }) => {
    const Icon = icon === undefined ? null : entryIcons[icon]
    return (
      <MenuItem key={name} onClick={run}>
        {Icon === null ? (
          <span className="size-[13px]" />
        ) : (
          <Icon size={13} className="text-subtle" />
        )}
        <span className="flex-1">{name}</span>
        {keys !== undefined && <Keys keys={keys} />}
      </MenuItem>
    )
  })
}

export interface MenuContentProps {
  readonly rows: readonly DeliveryRow[]
  readonly value: Pick<MenuValue, 'name' | 'text'> | null
  readonly entries: readonly MenuEntry[]
}

/** Lists actions on deliveries, with those on one of their values in between. */
export function MenuContent({ rows, value, entries }: MenuContentProps) {
  const store = useAppStore()
  const [first = [], ...others] = actionGroups(store.getState(), rows)
  return (
    <>
      <ActionItems actions={first} />
      {entries.length > 0 && (
        <Menu.Group>
          {first.length > 0 && <MenuLine />}
          {value !== null && (
            <Menu.GroupLabel className="flex max-w-80 gap-1.5 px-2 pt-1 pb-0.5 text-small text-subtle">
              <span className="shrink-0">{value.name}</span>
              <span className="data truncate">
                <ExactText text={value.text} />
              </span>
            </Menu.GroupLabel>
          )}
          <Entries entries={entries} />
        </Menu.Group>
      )}
      {others.map((group) => (
        <Menu.Group key={group[0]?.id}>
          <MenuLine />
          <ActionItems actions={group} />
        </Menu.Group>
      ))}
    </>
  )
}

export function DeliveryMenu() {
  const store = useAppStore()
  const openMenu = useApp((state) => state.menu.opened)
  const close = useApp((state) => state.menu.close)
  if (openMenu === null) return null
  const { at, rows, value } = openMenu
  return (
    <Menu.Root
      open
      modal={false}
      onOpenChange={(open) => {
        if (!open) close()
      }}
    >
      <Menu.Portal>
        <Menu.Positioner
          anchor={{
            getBoundingClientRect: () =>
              DOMRect.fromRect({ x: at.x, y: at.y, width: 0, height: 0 }),
          }}
          side="bottom"
          align="start"
          sideOffset={2}
          alignOffset={2}
          // The menu may be as tall as the window, so it moves up instead of to the other side.
          collisionAvoidance={{ side: 'shift', align: 'shift' }}
          className="z-50 outline-none"
        >
          <Menu.Popup
            aria-label={rows.length > 1 ? 'Selected deliveries' : 'Delivery'}
            className={`${menuStyle} min-w-64`}
          >
            <MenuContent
              rows={rows}
              value={value}
              entries={value === null ? [] : valueEntries(store.getState(), value)}
            />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function valueAt(target: Element): MenuValue | null {
  const valueElement = target.closest<HTMLElement>('[data-value-name]')
  if (valueElement === null) return null
  const { valueName = '', value = '', valueTerm = null } = valueElement.dataset
  return { name: valueName, text: value, term: valueTerm }
}

/**
 * Opens a delivery's menu on right clicks on its values; text fields and selected text keep their
 * own.
 */
export function DeliveryValues({
  row,
  children,
}: {
  readonly row: DeliveryRow
  readonly children: ReactNode
}) {
  const open = useApp((state) => state.menu.open)
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    const { target } = event
    if (event.defaultPrevented || !(target instanceof Element)) return
    const value = valueAt(target)
    if (value === null || target.closest('input, textarea') !== null || hasSelectedText(target))
      return
    event.preventDefault()
    open({ at: pointOf(event, target), rows: [row], value })
  }
  return (
    <div className="contents" onContextMenu={onContextMenu}>
      {children}
    </div>
  )
}

/** Whether a part of the text is selected, which the system's menu copies. */
function hasSelectedText(target: Element): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true)
}

/** Returns the pointer's position, or a point below the element for a key. */
export function pointOf(
  { clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>,
  element: Element,
): { readonly x: number; readonly y: number } {
  if (clientX !== 0 || clientY !== 0) return { x: clientX, y: clientY }
  const { left, bottom } = element.getBoundingClientRect()
  return { x: left + 24, y: bottom }
}
