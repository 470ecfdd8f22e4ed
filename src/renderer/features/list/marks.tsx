/** Pins, notes and colors: how they look (each color has a shape and a word), the bar that sets them, and their dialogs. */
import {
  Check,
  Circle,
  Diamond,
  Hexagon,
  Palette,
  Pin,
  Square,
  StickyNote,
  Triangle,
  type LucideIcon,
} from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { deliveryCount } from '../../../shared/text/counted.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import {
  colourSchema,
  NOTE_LENGTH,
  type MarkColour,
  type Marks,
} from '../../../shared/model/marks.ts'
import { offeredActions, type DeliveryActionId } from '../../state/delivery-actions.ts'
import { useApp, useAppParts, useAppStore, useParts } from '../../state/use-app.ts'
import { ToolButton } from '../../ui/button.tsx'
import { ActionButtons } from '../../ui/delivery-menu.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Keys } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'

const colours = colourSchema.options

const looks: Readonly<
  Record<MarkColour, { readonly name: string; readonly icon: LucideIcon; readonly look: string }>
> = {
  red: { name: 'Red', icon: Circle, look: 'text-mark-red' },
  amber: { name: 'Amber', icon: Triangle, look: 'text-mark-amber' },
  green: { name: 'Green', icon: Square, look: 'text-mark-green' },
  blue: { name: 'Blue', icon: Diamond, look: 'text-mark-blue' },
  violet: { name: 'Violet', icon: Hexagon, look: 'text-mark-violet' },
}

function colourName(colour: MarkColour): string {
  return looks[colour].name
}

function ColourShape({
  colour,
  size = 11,
}: {
  readonly colour: MarkColour
  readonly size?: number
}) {
  const { icon: Icon, look } = looks[colour]
  return <Icon size={size} fill="currentColor" className={`shrink-0 ${look}`} aria-hidden />
}

/** The pin and the color, shown after the event. */
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
          <span className="sr-only">, {colour}</span>
        </span>
      )}
    </>
  )
}

/** A row's note, truncated to the available width. */
export function RowNote({ note }: { readonly note: string }) {
  return (
    <span
      className="flex min-w-6 items-center gap-1 text-small text-muted"
      title={visibleText(note)}
    >
      <StickyNote size={12} className="shrink-0" aria-hidden />
      <span className="sr-only">Note: </span>
      <span className="truncate">
        <ExactText text={note} />
      </span>
    </span>
  )
}

/** The color shared by all of them; null if there is none. */
function commonColour(rows: readonly DeliveryRow[]): MarkColour | null {
  const [first] = rows
  return rows.every((row) => row.colour === first?.colour) ? (first?.colour ?? null) : null
}

/** The colors in a menu. */
export function ColourItems({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const mark = useApp((state) => state.marks.set)
  const colour = commonColour(rows)
  const set = (next: MarkColour | null) => {
    void mark(rows, { colour: next })
  }
  return (
    <>
      {colours.map((name) => (
        <MenuItem
          key={name}

          onClick={() => {
            set(name)
          }}
        >
          <ColourShape colour={name} size={13} />
          <span className="flex-1">{colourName(name)}</span>
          {name === colour && <Check size={13} aria-label="selected" />}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        onClick={() => {
          set(null)
        }}
      >
        <span className="size-[13px]" />
        No color
      </MenuItem>
    </>
  )
}

/** Buttons for pin, color, note, export and deletion of the selected deliveries, below the list. */
export function MarksBar({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const store = useAppStore()
  const offered = (...ids: readonly DeliveryActionId[]) => (
    <ActionButtons actions={offeredActions(store.getState(), rows, ids)} />
  )
  const colour = commonColour(rows)
  return (
    <>
      {offered('pin')}
      <ButtonMenu
        look="min-w-36"
        trigger={
          <ToolButton
            label={colour === null ? 'Color' : `Color: ${colourName(colour)}`}
            caption="Color"
            icon={
              colour === null ? (
                <Palette size={14} aria-hidden />
              ) : (
                <ColourShape colour={colour} size={13} />
              )
            }
          />
        }
      >
        <ColourItems rows={rows} />
      </ButtonMenu>
      {offered('note', 'export', 'delete')}
    </>
  )
}

function NoteForm({ onDone }: { readonly onDone: () => void }) {
  const { inHand: rows, put: mark } = useParts('marks', 'inHand', 'put')
  const [note, setNote] = useState(() =>
    rows.every((row) => row.note === rows[0]?.note) ? (rows[0]?.note ?? '') : '',
  )
  const { busy, problem, run } = useOutcome()
  const over = note.trim().length - NOTE_LENGTH
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ((await run(() => mark(rows, { note }))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={(event) => void submit(event)}>
      <TextAreaField
        label="Note"
        rows={6}
        value={note}
        onChange={setNote}
        onKeyDown={(event) => {
          // Enter alone inserts a line break.
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && over <= 0)
            event.currentTarget.form?.requestSubmit()
        }}
        hint={
          <>
            Stored on this computer. <code className="data">note:coffee</code> finds it by a word.{' '}
            <Keys keys="Mod+Enter" spoken /> saves.
          </>
        }
        problem={
          over > 0
            ? `Use at most ${NOTE_LENGTH.toLocaleString('en')} characters (${over} too many)`
            : undefined
        }
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot
        onCancel={onDone}
        action="Save note"
        busyWords="Saving…"
        busy={busy}
        disabled={over > 0}
      />
    </form>
  )
}

function DeletePinnedForm({ onDone }: { readonly onDone: () => void }) {
  const { inHand: rows, deleteRows } = useParts('marks', 'inHand', 'deleteRows')
  const pinned = rows.filter((row) => row.pinned).length
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDone()
    void deleteRows(rows)
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={submit}>
      <p>
        {rows.length === 1
          ? 'This delivery is pinned.'
          : pinned === rows.length
            ? `All ${deliveryCount(pinned)} are pinned.`
            : `${pinned.toLocaleString('en')} of ${deliveryCount(rows.length)} ${pinned === 1 ? 'is' : 'are'} pinned.`}{' '}
        You can undo this for 10 seconds.
      </p>
      <FormFoot
        onCancel={onDone}
        action={`Delete ${deliveryCount(rows.length)}`}
        busyWords="Deleting…"
        busy={false}
        danger
      />
    </form>
  )
}

/** Dialogs for the note, and for deleting pinned deliveries. */
export function MarksDialogs() {
  const { overlay, count, closeOverlay } = useAppParts((state) => ({
    overlay: state.navigation.overlay,
    count: state.marks.inHand.length,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <>
      <Dialog
        open={overlay === 'note'}
        onClose={closeOverlay}
        title={count === 1 ? 'Note on this delivery' : `Note on ${deliveryCount(count)}`}
      >
        <NoteForm onDone={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'delete-pinned'}
        onClose={closeOverlay}
        title={count === 1 ? 'Delete pinned delivery?' : 'Delete pinned deliveries?'}
      >
        <DeletePinnedForm onDone={closeOverlay} />
      </Dialog>
    </>
  )
}
