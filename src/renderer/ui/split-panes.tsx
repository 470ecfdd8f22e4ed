/** Two panes with a movable divider, stacked in a narrow window. */
import { useCallback, useSyncExternalStore, type ReactNode } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { Message } from './message.tsx'
import { visibleText } from './visible-text.ts'

export function useMedia(query: string): boolean {
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

/**
 * Whether panes are stacked: the window is narrow, and high enough for a stacked list to show rows.
 */
export function useNarrow(below = 900): boolean {
  return useMedia(`(max-width: ${below - 1}px) and (min-height: 561px)`)
}

export interface Pane {
  readonly id: string
  readonly content: ReactNode
  /** Size with a unit; by default one for a list and a detail pane. */
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
  /** Key of the stored sizes. */
  readonly name: string
  readonly first: Pane
  /** Second pane; null gives the first one the whole width. */
  readonly second: Pane | null
  readonly resize: string
  /** Window width in pixels below which the panes are stacked; default 900. */
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

/** Renders the pane beside a list, with the selected item's content; `F6` reaches it by `pane`. */
export function DetailPane({
  label,
  pane,
  children,
}: {
  readonly label: string
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

/** Replaces the pane of a missing item after a delay, because a new item may not be loaded yet. */
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

/** Scrolls the content of a detail pane below its heading, by keyboard too. */
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
