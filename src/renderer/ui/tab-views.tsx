/** Several views of one thing: a tab bar and the selected view. */
import { Tabs } from '@base-ui/react/tabs'
import { useEffect, useRef, type ReactNode } from 'react'

export interface TabViewsProps<T extends string> {
  readonly label: string
  readonly tabs: readonly T[]
  readonly names: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
  /** Shown beside the name, such as a count. */
  readonly noteOf?: (tab: T) => ReactNode
  /** The view's layout. */
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
  useEffect(() => {
    const list = bar.current
    if (list === null) return undefined
    // Called at once too, so that the selected tab is in view when chosen by key, and stays there when the bar gets narrower.
    const observer = new ResizeObserver(() => {
      list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    })
    observer.observe(list)
    return () => {
      observer.disconnect()
    }
  }, [value])
  return (
    <Tabs.Root
      value={value}
      onValueChange={(next) => {
        onChange(next as T)
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      {/* Positioned, because the primitive measures its scroll position from here. */}
      <Tabs.List
        ref={bar}
        aria-label={label}
        className="more-beside relative flex h-9 shrink-0 scroll-px-10 gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-3"
      >
        {tabs.map((tab) => (
          <Tabs.Tab
            key={tab}
            value={tab}
            className="relative inline-flex h-9 shrink-0 items-center gap-1.5 px-2 font-medium text-muted hover:text-text data-active:text-text data-active:after:absolute data-active:after:inset-x-2 data-active:after:bottom-0 data-active:after:h-0.5 data-active:after:bg-accent"
          >
            {names[tab]}
            {noteOf?.(tab)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value} key={value} className={`min-h-0 flex-1 outline-offset-[-2px] ${panel}`}>
        {children}
      </Tabs.Panel>
    </Tabs.Root>
  )
}
