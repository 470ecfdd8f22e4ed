/** The dialogs that save, edit and delete views, and the dialog of body columns. */
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { viewSchema, type View } from '../../../shared/model/view.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { InputForm, useInputForm } from '../../connected/input-form.tsx'
import { useCallState } from '../../ui/use-call.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { BodyColumnsDialog } from './body-columns-dialog.tsx'
import { queryProblemOf } from './filter-slice.ts'
import { DoneFoot } from '../../ui/form-foot.tsx'

function SaveViewDialog() {
  const query = useApp((state) => state.filter.applied)
  return (
    <OverlayDialog
      overlay="save-view"
      title="Save view"
      description="Saved in the data folder and shown in every window."
    >
      {(close) => <ViewForm view={{ name: '', query }} onDone={close} />}
    </OverlayDialog>
  )
}

function SavedViewsDialog() {
  const views = useApp((state) => state.core.views)
  const [editedId, setEditedId] = useState<string | null>(null)
  const view = views.find(({ id }) => id === editedId)
  return (
    <OverlayDialog
      overlay="saved-views"
      onClose={() => setEditedId(null)}
      wide
      title={view === undefined ? 'Saved views' : 'Edit view'}
    >
      {(close) =>
        view === undefined ? (
          <ViewList views={views} onEdit={setEditedId} onDone={close} />
        ) : (
          <ViewForm view={view} onDone={() => setEditedId(null)} />
        )
      }
    </OverlayDialog>
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
  const { busy, problem, run } = useCallState()
  return (
    <div className="flex flex-col gap-3">
      {views.length === 0 && (
        <p className="text-muted">No saved views. Save one from the More menu beside the views.</p>
      )}
      <ul className="flex flex-col">
        {views.map((view) => (
          <li
            key={view.id}
            className="flex min-h-9 items-center gap-3 border-b border-line py-1 last:border-0"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{visibleText(view.name)}</span>
              <span className="data block truncate text-muted">{visibleText(view.query)}</span>
            </span>
            <IconButton
              label={`Edit ${visibleText(view.name)}`}
              icon={Pencil}
              onClick={() => onEdit(view.id)}
            />
            <IconButton
              label={`Delete ${visibleText(view.name)}`}
              icon={Trash2}
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

function ViewForm({
  view,
  onDone,
}: {
  readonly view: Omit<View, 'id'> & { readonly id?: string }
  readonly onDone: () => void
}) {
  const saveView = useApp((state) => state.views.save)
  const form = useInputForm({
    schema: viewSchema,
    begin: () => view,
    check({ query }) {
      const problem = queryProblemOf(query)
      return problem === null ? [] : [{ field: 'query', message: problem.sentence }]
    },
    submit: ({ name, query }) => saveView({ ...view, name, query }),
    onDone,
  })
  return <InputForm form={form} action="Save view" busyWords="Saving…" onCancel={onDone} />
}

export function ViewDialogs() {
  return (
    <>
      <SaveViewDialog />
      <SavedViewsDialog />
      <BodyColumnsDialog />
    </>
  )
}
