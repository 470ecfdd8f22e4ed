/** Two panes with a movable divider, stacked in a narrow window. `F6` moves the focus to the next pane. */
import { useCallback, useSyncExternalStore, type ReactNode } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { Message } from './message.tsx'
import { visibleText } from './visible-text.ts'

/**
 * Whether the window is narrower than this many pixels (default 900); panes are then stacked. In a low window, such as one at a zoom of
 * 200 %, a stacked list would show no row.
 */
export function useNarrow(below = 900): boolean {
  const query = `(max-width: ${below - 1}px) and (min-height: 561px)`
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

export interface Pane {
  readonly id: string
  readonly content: ReactNode
  /** With units. Default: sizes for a list and a detail pane. */
  readonly minSize?: string
  readonly defaultSize?: string
}

export function SplitPanes({
  name,
  first,
  second,
  resize,
  stackBelow,
  className = 'h-full',
}: {
  /** Storage key for the sizes. */
  readonly name: string
  readonly first: Pane
  /** Null: the first pane takes the whole width. */
  readonly second: Pane | null
  /** Label of the divider. */
  readonly resize: string
  /** Window width below which the panes are stacked; default 900. */
  readonly stackBelow?: number
  readonly className?: string
}) {
  const stacked = useNarrow(stackBelow)
  const orientation = stacked ? 'vertical' : 'horizontal'
  const panelIds = second === null ? [first.id] : [first.id, second.id]
  const layout = useDefaultLayout({ id: `${name}-${orientation}`, panelIds, storage: localStorage })
  return (
    <Group
      orientation={orientation}
      className={className}
      defaultLayout={layout.defaultLayout}
      onLayoutChanged={layout.onLayoutChanged}
    >
      <Panel
        id={first.id}
        minSize={first.minSize ?? (stacked ? '25%' : '34%')}
        defaultSize={first.defaultSize}
      >
        {first.content}
      </Panel>
      {second !== null && (
        <>
          <Separator
            aria-label={resize}
            className={`relative shrink-0 bg-line transition-colors hover:bg-accent ${stacked ? 'h-px' : 'w-px'}`}
          />
          <Panel
            id={second.id}
            minSize={second.minSize ?? (stacked ? '30%' : '34%')}
            defaultSize={second.defaultSize}
          >
            {second.content}
          </Panel>
        </>
      )}
    </Group>
  )
}

/** The pane beside a list, with the selected item's content. `F6` reaches it by its name. */
export function DetailPane({
  label,
  pane,
  children,
}: {
  readonly label: string
  /** Its name among the panes. */
  readonly pane: string
  readonly children: ReactNode
}) {
  return (
    <section
      aria-label={label}
      data-pane={pane}
      className="@container flex h-full min-w-0 flex-col bg-surface"
    >
      {children}
    </section>
  )
}

/**
 * Replaces the pane of an item that the address names but doesn't exist. Late: a new item is known
 * in a moment.
 */
export function NotFoundPane({ what, name }: { readonly what: string; readonly name: string }) {
  return (
    <DetailPane label={what} pane={what.toLowerCase()}>
      <div role="alert" className="late px-8 pt-12">
        <Message title={`${what} not found`}>
          <span className="data">{visibleText(name)}</span> doesn't exist here, or was deleted.
        </Message>
      </div>
    </DetailPane>
  )
}

/** The part of a detail pane that scrolls, below its heading; the keyboard scrolls it too. */
export function DetailScroll({
  label,
  padded = true,
  children,
}: {
  readonly label: string
  readonly padded?: boolean
  readonly children: ReactNode
}) {
  return (
    <div
      className={`min-h-0 flex-1 overflow-auto ${padded ? 'px-5 pt-2 pb-8' : ''}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  )
}

/** The panes in screen order: the rail, then the screen's own. F6 cycles through them. */
export function focusNextPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.closest('[inert]') === null,
  )
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  const next = panes[(at + by + panes.length) % panes.length]
  const target = next?.querySelector<HTMLElement>(
    '[role="grid"], [aria-current="page"], [role="tab"][aria-selected="true"], button, [tabindex="0"]',
  )
  target?.focus()
}

/** Returns the focus to the screen: to its list, or else to its place in the rail. */
export function focusShownPane(): void {
  const list = document.querySelector<HTMLElement>(
    '[data-pane]:not([data-pane="rail"]) [role="grid"]',
  )
  const target = list ?? document.querySelector<HTMLElement>('nav [aria-current="page"]')
  target?.focus()
}
