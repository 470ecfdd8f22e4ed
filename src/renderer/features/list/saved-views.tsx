/** Saved views: the menu that applies one, and the dialogs that save, rename and remove them. */
import { Menu } from '@base-ui/react/menu'
import { Bookmark, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { VIEW_NAME_LENGTH, type View } from '../../../shared/model/settings.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { Dialog, DoneFoot, FormFoot } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { queryProblemOf } from './filter-slice.ts'

function SaveViewDialog() {
  const { open, filter, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'save-view',
    filter: state.filter.applied,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Save view"
      description="Saved in the data folder and shown in every window."
    >
      <ViewForm view={{ name: '', query: filter }} onDone={closeOverlay} />
    </Dialog>
  )
}

function SavedViewsDialog() {
  const { open, views, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'saved-views',
    views: state.views.all,
    closeOverlay: state.navigation.closeOverlay,
  }))
  const [edited, setEdited] = useState<string | null>(null)
  const view = views.find(({ id }) => id === edited)
  const close = () => {
    setEdited(null)
    closeOverlay()
  }
  return (
    <Dialog open={open} onClose={close} wide title={view === undefined ? 'Saved views' : 'Edit view'}>
      {view === undefined ? (
        <ViewList views={views} onEdit={setEdited} onDone={close} />
      ) : (
        <ViewForm
          view={view}
          onDone={() => {
            setEdited(null)
          }}
        />
      )}
    </Dialog>
  )
}

function ViewList({
  views,
  onEdit,
  onDone,
}: {
  readonly views: readonly View[]
  readonly onEdit: (id: string) => void
  readonly onDone: () => void
}) {
  const removeView = useApp((state) => state.views.remove)
  const { busy, problem, run } = useOutcome()
  return (
    <div className="flex flex-col gap-3">
      {views.length === 0 && <p className="text-muted">No saved views. Save one from the menu beside the filter.</p>}
      <ul className="flex flex-col">
        {views.map((view) => (
          <li key={view.id} className="flex min-h-9 items-center gap-3 border-b border-line py-1 last:border-0">
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{visibleText(view.name)}</span>
              <span className="data block truncate text-muted">{visibleText(view.query)}</span>
            </span>
            <IconButton
              label={`Edit ${visibleText(view.name)}`}
              icon={<Pencil size={14} aria-hidden />}
              onClick={() => {
                onEdit(view.id)
              }}
            />
            <IconButton
              label={`Delete ${visibleText(view.name)}`}
              icon={<Trash2 size={14} aria-hidden />}
              disabled={busy}
              onClick={() => void run(() => removeView(view.id))}
            />
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemView problem={problem} />}
      <DoneFoot onDone={onDone} />
    </div>
  )
}

const checkView = bySchema(
  z.object({
    name: z.string().trim().min(1, 'Enter a name.'),
    query: z
      .string()
      .trim()
      .min(1, 'Enter a search.')
      .superRefine((query, context) => {
        const problem = queryProblemOf(query)
        if (problem !== null) context.addIssue(problem.sentence)
      }),
  }),
)

function ViewForm({ view, onDone }: { readonly view: Omit<View, 'id'> & { readonly id?: string }; readonly onDone: () => void }) {
  const saveView = useApp((state) => state.views.save)
  const form = useForm({
    begin: () => ({ name: view.name, query: view.query }),
    check: checkView,
    submit: ({ name, query }) => saveView({ ...view, name: name.trim(), query: query.trim() }),
    onDone,
  })
  const { draft, busy, problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TextField
        label="Name"
        maxLength={VIEW_NAME_LENGTH}
        problem={form.problemAt('name')}
        value={draft.name}
        onChange={(name) => {
          form.change({ name })
        }}
      />
      <TextField
        label="Search"
        hint="Relative times such as after:2h are evaluated when you open the view"
        problem={form.problemAt('query')}
        value={draft.query}
        onChange={(query) => {
          form.change({ query })
        }}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Save view" busyWords="Saving…" busy={busy} />
    </form>
  )
}

export function ViewDialogs() {
  return (
    <>
      <SaveViewDialog />
      <SavedViewsDialog />
    </>
  )
}

const itemLook =
  'flex min-h-7 items-center gap-4 rounded-small px-2 outline-none data-highlighted:bg-control data-disabled:opacity-60'

/** The menu beside the search bar: saved views, and commands for the current search. */
export function SavedViewsMenu() {
  const views = useApp((state) => state.views.all)
  const { applied: filter, setDraft, apply: applyDraft } = useParts('filter', 'applied', 'setDraft', 'apply')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <Menu.Root>
      <Menu.Trigger render={<IconButton label="Saved views" icon={<Bookmark size={15} aria-hidden />} />} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-30 outline-none">
          <Menu.Popup className="max-h-[min(480px,var(--available-height))] max-w-[min(520px,var(--available-width))] min-w-60 overflow-y-auto rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {views.map((view) => (
              <Menu.Item
                key={view.id}
                className={itemLook}
                onClick={() => {
                  setDraft(view.query)
                  applyDraft()
                }}
              >
                <span className="shrink-0">{visibleText(view.name)}</span>
                <span className="data min-w-0 flex-1 truncate text-right text-subtle">{visibleText(view.query)}</span>
              </Menu.Item>
            ))}
            {views.length === 0 && (
              <p className="max-w-72 px-2 py-1 text-small text-subtle">No saved views yet. Save a search that you use often.</p>
            )}
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item
              className={itemLook}
              disabled={filter === ''}
              onClick={() => {
                openOverlay('save-view')
              }}
            >
              Save view…
            </Menu.Item>
            <Menu.Item
              className={itemLook}
              disabled={views.length === 0}
              onClick={() => {
                openOverlay('saved-views')
              }}
            >
              Edit views…
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
