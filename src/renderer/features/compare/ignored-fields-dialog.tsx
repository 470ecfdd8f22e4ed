/** The dialog that edits the ignored fields of a hook. */
import { useState, type FormEvent } from 'react'
import type { VolatileList } from '../../../shared/model/comparison.ts'
import { useData } from '../../core-data/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useCall, useCallState } from '../../ui/use-call.ts'
import type { ComparedSides } from './use-sides.ts'

/** Edits the ignored fields for deliveries of a hook, which the core stores. */
export function IgnoredFieldsDialog({ hookId, list: { output: list } }: ComparedSides) {
  return (
    <OverlayDialog
      overlay="compare-ignored"
      ready={list !== undefined}
      title="Ignored fields"
      description="Fields that usually differ between deliveries. Saved for this hook."
      wide
    >
      {(close) => list !== undefined && <ListForm hookId={hookId} list={list} onDone={close} />}
    </OverlayDialog>
  )
}

function parseLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function ListForm({
  hookId,
  list,
  onDone,
}: {
  readonly hookId: string | null
  readonly list: VolatileList
  readonly onDone: () => void
}) {
  const { patch } = useData()
  const call = useCall()
  const { problem, run } = useCallState()
  const [body, setBody] = useState(list.fields.body.join('\n'))
  const [headers, setHeaders] = useState(list.fields.headers.join('\n'))
  const save = async (fields: VolatileList['fields'] | null) => {
    const saved = await run(() => call('compare.setVolatile', { hookId, fields }))
    if (saved === null) return
    patch('compare.volatile', { hookId }, () => saved)
    onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save({ body: parseLines(body), headers: parseLines(headers) })
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={submit}>
      <div className="grid grid-cols-2 gap-4 max-[700px]:grid-cols-1">
        <TextAreaField
          label="Body fields"
          rows={14}
          value={body}
          onChange={setBody}
          hint="One path per line. * matches any characters in a name, ** any depth: **.id matches every id."
        />
        <TextAreaField
          label="Headers"
          rows={14}
          value={headers}
          onChange={setHeaders}
          hint="One name per line. * matches any characters."
        />
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem.message}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        {list.isOwn && (
          <Button kind="quiet" onClick={() => void save(null)}>
            Restore defaults
          </Button>
        )}
        <span className="flex-1" />
        <Button onClick={onDone}>Cancel</Button>
        <Button kind="primary" type="submit">
          Save for this hook
        </Button>
      </div>
    </form>
  )
}
