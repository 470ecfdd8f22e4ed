/** Views of one subject: a tab bar, a menu of the tabs that don't fit, and the selected view. */
import { Tabs } from '@base-ui/react/tabs'
import { ChevronDown } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { ButtonMenu, MenuItem } from './menu.tsx'

export interface TabViewsProps<T extends string> {
  readonly label: string
  readonly tabs: readonly T[]
  readonly names: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
  /** Note beside the name, such as a count. */
  readonly noteOf?: (tab: T) => ReactNode
  /** Layout of the view, as classes. */
  readonly panel?: string
  readonly children: ReactNode
}

export function TabViews<T extends string>({
  label,
  tabs,
  names,
  value,
  onChange,
  noteOf,
  panel = '',
  children,
}: TabViewsProps<T>) {
  const bar = useRef<HTMLDivElement>(null)
  const fitting = useFittingTabs(bar, tabs, value)
  const drawnTabs = tabs.filter((tab) => tab === value || fitting.includes(tab))
  const hiddenTabs = tabs.filter((tab) => !drawnTabs.includes(tab))
  return (
    <Tabs.Root
      value={value}
      onValueChange={(next) => onChange(next as T)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div ref={bar} className="flex h-9 shrink-0 overflow-hidden border-b border-line">
        {/* Positioned, because the primitive measures from here. */}
        <Tabs.List aria-label={label} className="relative flex h-9 shrink-0 gap-1 pl-3">
          {drawnTabs.map((tab) => (
            <Tabs.Tab
              key={tab}
              value={tab}
              data-tab={tab}
              className="relative inline-flex h-9 shrink-0 items-center gap-1.5 px-2 font-medium text-muted outline-offset-[-2px] hover:text-text data-active:text-text data-active:after:absolute data-active:after:inset-x-2 data-active:after:bottom-0 data-active:after:h-0.5 data-active:after:bg-accent"
            >
              {names[tab]}
              {noteOf?.(tab)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {hiddenTabs.length > 0 && (
          <ButtonMenu
            className="min-w-40"
            trigger={
              <button
                type="button"
                aria-label={`More ${label.toLowerCase()}`}
                className="ml-1 inline-flex h-9 items-center gap-1 px-2 font-medium text-muted outline-offset-[-2px] hover:text-text data-popup-open:text-text"
              >
                More
                <ChevronDown size={14} />
              </button>
            }
          >
            {hiddenTabs.map((tab) => (
              <MenuItem key={tab} onClick={() => onChange(tab)}>
                {names[tab]}
                {noteOf?.(tab)}
              </MenuItem>
            ))}
          </ButtonMenu>
        )}
      </div>
      <Tabs.Panel
        value={value}
        key={value}
        className={`min-h-0 flex-1 outline-offset-[-2px] ${panel}`}
      >
        {children}
      </Tabs.Panel>
    </Tabs.Root>
  )
}

/** Returns the tabs that fit into the bar, measured whenever its size changes. */
function useFittingTabs<T extends string>(
  bar: RefObject<HTMLDivElement | null>,
  tabs: readonly T[],
  value: T,
): readonly T[] {
  const widths = useRef(new Map<string, number>())
  const [fitting, setFitting] = useState(tabs)
  useLayoutEffect(() => {
    const line = bar.current
    const list = line?.querySelector('[role=tablist]')
    if (line === null || list == null) return undefined
    const observer = new ResizeObserver(() => {
      for (const tab of list.querySelectorAll<HTMLElement>('[role=tab]'))
        widths.current.set(tab.dataset['tab'] ?? '', tab.offsetWidth)
      const next = fittingTabs(tabs, value, widths.current, line.clientWidth)
      setFitting((before) =>
        before.length === next.length && next.every((tab) => before.includes(tab)) ? before : next,
      )
    })
    observer.observe(line)
    // The notes beside the names change the widths.
    observer.observe(list)
    return () => observer.disconnect()
  }, [bar, tabs, value])
  return fitting
}

/** Widths in pixels: between two tabs, beside all tabs, and of the "More" button. */
const GAP = 4
const BAR_PADDING = 24
const MORE_WIDTH = 80

/**
 * Returns the tabs that fit into `room` pixels, the first ones and the selected one. A tab never
 * drawn takes no room.
 */
export function fittingTabs<T extends string>(
  tabs: readonly T[],
  selected: T,
  widths: ReadonlyMap<string, number>,
  room: number,
): readonly T[] {
  const widthOf = (tab: T) => (widths.get(tab) ?? 0) + GAP
  const all = tabs.reduce((sum, tab) => sum + widthOf(tab), BAR_PADDING)
  if (all <= room) return tabs
  let left = room - BAR_PADDING - MORE_WIDTH - widthOf(selected)
  const others = tabs.filter((tab) => tab !== selected)
  const end = others.findIndex((tab) => (left -= widthOf(tab)) < 0)
  const fit = new Set([selected, ...others.slice(0, end === -1 ? others.length : end)])
  return tabs.filter((tab) => fit.has(tab))
}
