/** Several views of one thing, of which one is shown: a bar of tabs, and the view below it. */
import { Tabs } from '@base-ui/react/tabs'
import { useEffect, useRef, type ReactNode } from 'react'

export interface TabViewsProps<T extends string> {
  readonly label: string
  readonly tabs: readonly T[]
  readonly names: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
  /** What stands beside a name, such as a number. */
  readonly noteOf?: (tab: T) => ReactNode
  /** How the view lays out what is in it. */
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
    // It reports at once too: so the chosen tab is in view when a key chose it, and stays there when the bar gets narrower.
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
      {/* Positioned: what the primitive scrolls into view it measures from here. */}
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
