/** Sets the sandbox's clock to a moment ahead. */
import { useState, type FormEvent } from 'react'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { clockText, readTime, sandboxNow } from './clock-reading.ts'

export function ClockDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'set-clock',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Set the sandbox’s clock"
      description="It only goes forward: what falls due on the way happens. Signatures keep to the real time."
    >
      <ClockForm onDone={closeOverlay} />
    </Dialog>
  )
}

function ClockForm({ onDone }: { readonly onDone: () => void }) {
  const { clockReading: reading, setClock } = useParts('sandbox', 'clockReading', 'setClock')
  const [text, setText] = useState(() => (reading === null ? '' : clockText(sandboxNow(reading, Date.now()) + 3_600_000)))
  const [sent, setSent] = useState(false)
  const { busy, problem, run, clear } = useOutcome()
  const time = readTime(text)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (time !== null && (await run(() => setClock(time))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Time (UTC)"
        hint="Such as 2026-11-23 12:00, or with a zone: 2026-11-23T13:00+01:00"
        problem={sent && time === null ? 'A date and a time, such as 2026-11-23 12:00.' : undefined}
        value={text}
        onChange={(next) => {
          setText(next)
          clear()
        }}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Set the clock" busyWords="Setting it…" busy={busy} />
    </form>
  )
}
