import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { ALL_FLOW_RUNS } from '../core-data/events.ts'
import { useRead } from '../core-data/use-read.ts'
import type { PaletteGroup, PaletteItem } from '../ui-state/commands.ts'
import { useAppParts, useAppStore } from '../ui-state/use-app.ts'
import { Keys } from '../ui/keys.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { paletteGroups } from './commands.ts'

export function CommandPalette() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'palette',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) closeOverlay()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup
          aria-label="Command palette"
          className="fixed top-[12vh] left-1/2 z-40 flex max-h-[min(70vh,calc(88vh-24px-var(--notice-height)))] w-[calc(100vw-48px)] max-w-[580px] -translate-x-1/2 flex-col overflow-hidden rounded-control border border-line bg-surface shadow-overlay outline-none"
        >
          <Palette onDone={closeOverlay} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Recent items stored; more than are shown, because some may not apply. */
const RECENT_KEPT = 12

function Palette({ onDone }: { readonly onDone: () => void }) {
  const store = useAppStore()
  const [typed, setTyped] = useState('')
  // Loads the flows and runs that the palette offers.
  useRead('flows.list', {})
  useRead('flows.runs', ALL_FLOW_RUNS)
  const choose = (item: PaletteItem) => {
    onDone()
    const { preferences } = store.getState()
    preferences.set(
      'recent',
      [item.value, ...preferences.recent.filter((value) => value !== item.value)].slice(
        0,
        RECENT_KEPT,
      ),
    )
    item.run()
  }
  return (
    <Autocomplete.Root
      open
      inline
      items={paletteGroups(store, typed)}
      itemToStringValue={(item: PaletteItem) => `${item.label} ${item.note ?? ''}`}
      value={typed}
      onValueChange={(value, { reason }) => {
        if (reason !== 'item-press') setTyped(value)
      }}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex h-11 shrink-0 items-center gap-3 border-b border-line px-4">
        <Search size={15} className="text-subtle" />
        <Autocomplete.Input
          aria-label="Search commands"
          placeholder="Search commands, hooks and delivery IDs"
          className="h-full min-w-0 flex-1 bg-transparent text-title outline-none"
        />
        <Dialog.Close className="rounded-small text-small text-subtle hover:text-text">
          <Keys keys="Escape" />
          <span className="sr-only">Close</span>
        </Dialog.Close>
      </div>
      <div className="min-h-0 overflow-y-auto overscroll-contain p-1.5">
        <Autocomplete.Empty className="px-3 py-6 text-muted empty:hidden">
          No results
        </Autocomplete.Empty>
        <Autocomplete.List>
          {(group: PaletteGroup) => (
            <Autocomplete.Group key={group.value} items={group.items} className="not-last:mb-1.5">
              <Autocomplete.GroupLabel className="px-2.5 pt-1 pb-0.5 text-tiny font-medium text-subtle">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: PaletteItem) => (
                  <Autocomplete.Item
                    key={item.value}
                    value={item}
                    onClick={() => choose(item)}
                    className="flex h-8 items-center gap-3 rounded-small px-2.5 data-highlighted:bg-selected"
                  >
                    <span className="min-w-0 flex-1 truncate">{visibleText(item.label)}</span>
                    <span className="max-w-[45%] truncate text-small text-subtle">
                      {visibleText(item.note ?? '')}
                    </span>
                    <span className="flex w-14 shrink-0 justify-end">
                      {item.keys !== undefined && <Keys keys={item.keys} />}
                    </span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  )
}
