/** What may come next in a search, offered under the field that it is typed into. Stands inside an `Autocomplete.Root`. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import type { Completion } from '../../shared/query/complete.ts'

export function CompletionList() {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <Autocomplete.Popup className="max-h-[min(420px,var(--available-height))] w-[min(640px,max(var(--anchor-width),440px),var(--available-width))] overflow-y-auto rounded-control border border-line bg-surface py-1 shadow-overlay">
          <Autocomplete.List className="grid grid-cols-[fit-content(60%)_minmax(0,1fr)]">
            {(completion: Completion) => (
              <Autocomplete.Item
                key={completion.part}
                value={completion}
                className="col-span-2 mx-1 grid h-7 grid-cols-subgrid items-center gap-x-3 rounded-small px-2 data-highlighted:bg-selected"
              >
                <span className="data min-w-36 truncate text-text">{completion.part}</span>
                <span className="min-w-0 truncate text-small text-subtle">{completion.meaning}</span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  )
}
