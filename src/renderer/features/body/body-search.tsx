/** Searching in the body that is shown: how often it is there, and the way from one place to the next. */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../../ui/button.tsx'
import type { BodySearch } from './use-body-search.ts'

export function BodySearchBar({ search, onClose }: { readonly search: BodySearch; readonly onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [search.asked])
  return (
    <div role="search" className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-raised pr-2 pl-4">
      <input
        ref={field}
        aria-label="Search in this body"
        placeholder="Search in this body"
        spellCheck={false}
        autoComplete="off"
        value={search.wanted}
        onChange={(event) => {
          search.setWanted(event.currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search.step(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
        }}
        className="data h-7 min-w-0 flex-1 rounded-control border border-edge/60 bg-ground px-2 text-text hover:border-edge"
      />
      <span className="min-w-16 shrink-0 text-right text-small text-muted tabular-nums" role="status">
        {placeOf(search)}
      </span>
      <IconButton
        label="Previous"
        keys="Shift+Enter"
        icon={<ChevronUp size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => {
          search.step(-1)
        }}
      />
      <IconButton
        label="Next"
        keys="Enter"
        icon={<ChevronDown size={15} aria-hidden />}
        disabled={search.count === 0}
        onClick={() => {
          search.step(1)
        }}
      />
      <IconButton label="Close the search" keys="Escape" icon={<X size={15} aria-hidden />} onClick={onClose} />
    </div>
  )
}

function placeOf({ wanted, searching, count, more, current }: BodySearch): string {
  if (wanted === '' || searching) return ''
  if (count === 0) return 'Not found'
  return `${(current + 1).toLocaleString('en')} of ${count.toLocaleString('en')}${more ? '+' : ''}`
}
