/** The editable list of ignored fields for deliveries of a hook, stored by the core. */
import { useState, type FormEvent } from 'react'
import type { VolatileList } from '../../../shared/model/comparison.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'

export function IgnoredDialog() {
  const { open, list, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'compare-ignored',
    list: state.compare.volatileList,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open && list !== null}
      onClose={closeOverlay}
      title="Ignored fields"
      description="Fields that usually differ between deliveries. Saved for this hook."
      wide
    >
      {open && list !== null && <ListForm list={list} onDone={closeOverlay} />}
    </Dialog>
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function ListForm({ list, onDone }: { readonly list: VolatileList; readonly onDone: () => void }) {
  const keepVolatile = useApp((state) => state.compare.keepVolatile)
  const [body, setBody] = useState(list.fields.body.join('\n'))
  const [headers, setHeaders] = useState(list.fields.headers.join('\n'))
  const [problem, setProblem] = useState<string | null>(null)
  const keep = async (fields: VolatileList['fields'] | null) => {
    const refused = await keepVolatile(fields)
    setProblem(refused)
    if (refused === null) onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void keep({ body: linesOf(body), headers: linesOf(headers) })
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
          {problem}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        {list.isOwn && (
          <Button kind="quiet" onClick={() => void keep(null)}>
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
