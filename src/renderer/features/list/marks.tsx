/** How pins, notes and colours look: each colour has a shape and a word of its own. */
import { Circle, Diamond, Hexagon, Pin, Square, StickyNote, Triangle, type LucideIcon } from 'lucide-react'
import { colourSchema, type MarkColour, type Marks } from '../../../shared/model/marks.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'

export const colours = colourSchema.options

const looks: Readonly<Record<MarkColour, { readonly name: string; readonly icon: LucideIcon; readonly look: string }>> = {
  red: { name: 'Red', icon: Circle, look: 'text-mark-red' },
  amber: { name: 'Amber', icon: Triangle, look: 'text-mark-amber' },
  green: { name: 'Green', icon: Square, look: 'text-mark-green' },
  blue: { name: 'Blue', icon: Diamond, look: 'text-mark-blue' },
  violet: { name: 'Violet', icon: Hexagon, look: 'text-mark-violet' },
}

export function colourName(colour: MarkColour): string {
  return looks[colour].name
}

export function ColourShape({ colour, size = 11 }: { readonly colour: MarkColour; readonly size?: number }) {
  const { icon: Icon, look } = looks[colour]
  return <Icon size={size} fill="currentColor" className={`shrink-0 ${look}`} aria-hidden />
}

/** Behind the event: the pin and the colour. */
export function PinAndColour({ marks: { pinned, colour } }: { readonly marks: Marks }) {
  return (
    <>
      {pinned && (
        <span className="ml-1.5 inline-flex shrink-0 text-muted" title="Pinned">
          <Pin size={12} fill="currentColor" aria-hidden />
          <span className="sr-only">, pinned</span>
        </span>
      )}
      {colour !== null && (
        <span className="ml-1.5 inline-flex shrink-0" title={colourName(colour)}>
          <ColourShape colour={colour} />
          <span className="sr-only">, marked {colour}</span>
        </span>
      )}
    </>
  )
}

/** The note of a row, as much of it as there is room for. */
export function RowNote({ note }: { readonly note: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1 text-small text-muted" title={visibleText(note)}>
      <StickyNote size={12} className="shrink-0" aria-hidden />
      <span className="sr-only">Note: </span>
      <span className="truncate">
        <ExactText text={note} />
      </span>
    </span>
  )
}
