/** The dialog that chooses the body columns of the list. */
import { listColumnsSchema, MOST_LIST_COLUMNS } from '../../../shared/model/body-columns.ts'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useData, useRead } from '../../core-data/use-read.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { SuggestInput } from '../../ui/suggest-input.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useBodyColumnPaths } from './body-columns.tsx'

const PLACES = Array.from({ length: MOST_LIST_COLUMNS }, (_, index) => index)
const SHOWN_VALUES = 3

export function BodyColumnsDialog() {
  return (
    <OverlayDialog
      overlay="body-columns"
      title="Body columns"
      description="JSON paths whose values the list shows. Saved in the data folder."
    >
      {(close) => <BodyColumnsForm onDone={close} />}
    </OverlayDialog>
  )
}

const pathsOf = (draft: readonly string[]) => [
  ...new Set(draft.map((path) => path.trim()).filter((path) => path !== '')),
]

function BodyColumnsForm({ onDone }: { readonly onDone: () => void }) {
  const { client } = useData()
  const shown = useBodyColumnPaths()
  const { output } = useRead('deliveries.suggest', {})
  const suggestions = (output?.bodyPaths ?? []).map(({ path, values }) => ({
    value: path,
    note: values.slice(0, SHOWN_VALUES).join(', '),
  }))
  const form = useForm({
    begin: () => ({ paths: PLACES.map((index) => shown[index] ?? '') }),
    check: ({ paths }) =>
      paths.flatMap((path, index) =>
        path.trim() === '' || listColumnsSchema.safeParse([path]).success
          ? []
          : [{ field: `paths.${index}`, message: 'Enter a path of up to 200 characters.' }],
      ),
    submit: ({ paths }) =>
      settleCall(client.call('settings.set', { window: { bodyColumns: pathsOf(paths) } })),
    onDone,
  })
  const { paths } = form.draft
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      {PLACES.map((index) => (
        <Field
          key={index}
          label={`Column ${index + 1}`}
          optional
          problem={form.problemAt(`paths.${index}`)}
        >
          {(control) => (
            <SuggestInput
              {...control}
              suggestions={suggestions}
              placeholder={index === 0 ? 'card.lastNumbers' : ''}
              value={paths[index] ?? ''}
              onChange={(path) => form.change({ paths: paths.with(index, path) })}
            />
          )}
        </Field>
      ))}
      <FormEnd form={form} action="Save columns" busyWords="Saving…" onCancel={onDone} />
    </form>
  )
}
