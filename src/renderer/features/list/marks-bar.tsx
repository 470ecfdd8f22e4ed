/** What can be put on deliveries, as buttons: pin, colour, note; and deleting them. Beside one delivery, and under the list for several. */
import { Menu } from '@base-ui/react/menu'
import { Check, Download, Palette, Pin, PinOff, StickyNote, Trash2 } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { MarkColour } from '../../../shared/model/marks.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { colourName, colours, ColourShape } from './marks.tsx'

const itemLook = 'flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-highlighted:bg-control'

export function MarksBar({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const {
    set: mark,
    editNote,
    deleteChosen,
    togglePin: report,
  } = useParts('marks', 'set', 'editNote', 'deleteChosen', 'togglePin')
  const openExport = useApp((state) => state.exporting.open)
  const pinned = rows.every((row) => row.pinned)
  const [first] = rows
  const colour = rows.every((row) => row.colour === first?.colour) ? (first?.colour ?? null) : null
  const set = (next: MarkColour | null) => {
    void mark(rows, { colour: next })
  }
  return (
    <>
      <IconButton
        label={pinned ? 'Take the pin off' : 'Pin'}
        keys="p"
        pressed={pinned}
        icon={pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
        onClick={() => {
          report(rows)
        }}
      />
      <Menu.Root>
        <Menu.Trigger
          render={
            <IconButton
              label={colour === null ? 'Colour' : `Colour: ${colourName(colour)}`}
              icon={colour === null ? <Palette size={14} aria-hidden /> : <ColourShape colour={colour} size={13} />}
            />
          }
        />
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" className="z-50 outline-none">
            <Menu.Popup className="min-w-36 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
              {colours.map((name) => (
                <Menu.Item
                  key={name}
                  className={itemLook}
                  onClick={() => {
                    set(name)
                  }}
                >
                  <ColourShape colour={name} size={13} />
                  <span className="flex-1">{colourName(name)}</span>
                  {name === colour && <Check size={13} aria-label="chosen" />}
                </Menu.Item>
              ))}
              <Menu.Separator className="my-1 h-px bg-line" />
              <Menu.Item
                className={itemLook}
                onClick={() => {
                  set(null)
                }}
              >
                <span className="size-[13px]" />
                No colour
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <IconButton
        label={rows.length === 1 && first?.note !== null ? 'Change the note' : 'Add a note'}
        keys="e"
        icon={<StickyNote size={14} aria-hidden />}
        onClick={() => {
          editNote(rows)
        }}
      />
      <IconButton
        label="Export…"
        icon={<Download size={14} aria-hidden />}
        onClick={() => {
          openExport({ query: '', ids: rows.map(({ id }) => id) })
        }}
      />
      <IconButton
        label="Delete"
        keys="Delete"
        icon={<Trash2 size={14} aria-hidden />}
        onClick={() => {
          deleteChosen(rows)
        }}
      />
    </>
  )
}
