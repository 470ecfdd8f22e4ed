/** The dialog that sets the sandbox clock. */
import { z } from 'zod'
import { inForm } from '../../../shared/model/field-words.ts'
import { InputForm, useInputForm } from '../../connected/input-form.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useApp } from '../../ui-state/use-app.ts'
import { clockText, HOUR_MS, readTime, sandboxNow } from './clock-time.ts'
import { useClockReading } from './use-sandbox.ts'

export function ClockDialog() {
  return (
    <OverlayDialog
      overlay="set-clock"
      title="Set sandbox clock"
      description="The clock only moves forward. Pending events up to that time are sent. Signatures keep using real time."
    >
      {(close) => <ClockForm onDone={close} />}
    </OverlayDialog>
  )
}

const clockSchema = z.object({
  text: inForm(
    z.string().refine((text) => readTime(text) !== null),
    {
      label: 'Time (UTC)',
      hint: 'For example 2026-11-23 12:00, or with a zone: 2026-11-23T13:00+01:00.',
      expected: 'a date and time, such as 2026-11-23 12:00',
    },
  ),
})

function ClockForm({ onDone }: { readonly onDone: () => void }) {
  const changeClock = useApp((state) => state.sandbox.changeClock)
  const reading = useClockReading()
  const form = useInputForm({
    schema: clockSchema,
    begin: () => ({
      text: reading === null ? '' : clockText(sandboxNow(reading, Date.now()) + HOUR_MS),
    }),
    submit({ text }) {
      const time = readTime(text)
      return time === null ? null : changeClock({ action: 'set', time })
    },
    onDone,
  })
  return <InputForm form={form} action="Set clock" busyWords="Setting…" onCancel={onDone} />
}
