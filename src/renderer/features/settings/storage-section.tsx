/** Storage used, and retention limits with a preview. */
import { deliveryCount } from '../../../shared/text/counted.ts'
import { LEAST_KEPT_BYTES, retentionSchema, type Retention } from '../../../shared/model/keeping.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { byteSize } from '../../ui/moment.ts'
import { NotRead } from '../../ui/message.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TextField } from '../../ui/field.tsx'
import { useForm, useSettled } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-outcome.ts'

const MIB = 1_048_576
const REREAD_MS = 3_000
const PREVIEW_AFTER_MS = 250

export function StorageSizes() {
  const { output, problem, readAgain } = useRead('storage.get', {}, { everyMs: REREAD_MS })
  if (output === undefined)
    return problem === null ? (
      <span className="late skeleton h-3 w-64" />
    ) : (
      <NotRead title="Couldn't load sizes" problem={problem} onAgain={readAgain} />
    )
  const { storage } = output
  return (
    <dl className="grid grid-cols-[8rem_6rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5">
      <Size
        name="Database"
        bytes={storage.database}
        note={`${byteSize(storage.free)} free for reuse`}
      />
      <Size
        name="Write-ahead log"
        bytes={storage.log}
        note="merged into the database automatically"
      />
      <Size name="Search index" bytes={storage.search} note="rebuilt automatically" />
    </dl>
  )
}

function Size({
  name,
  bytes,
  note,
}: {
  readonly name: string
  readonly bytes: number
  readonly note: string
}) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="data text-right">{byteSize(bytes)}</dd>
      <dd className="min-w-0 text-small text-subtle">{note}</dd>
    </>
  )
}

interface Draft {
  readonly days: string
  readonly deliveries: string
  readonly megabytes: string
}

function draftOf({ days, deliveries, bytes }: Retention): Draft {
  return {
    days: days?.toString() ?? '',
    deliveries: deliveries?.toString() ?? '',
    megabytes: bytes === null ? '' : String(bytes / MIB),
  }
}

function numberIn(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

function limitsIn({ days, deliveries, megabytes }: Draft): Retention | null {
  const size = numberIn(megabytes)
  const parsed = retentionSchema.safeParse({
    days: numberIn(days),
    deliveries: numberIn(deliveries),
    bytes: size === null ? null : Math.round(size * MIB),
  })
  return parsed.success ? parsed.data : null
}

export function KeepingLimits() {
  const retention = useApp((state) => state.core.settings.retention)
  // Restart the form when the limits change elsewhere.
  return <LimitsForm key={JSON.stringify(retention)} retention={retention} />
}

function LimitsForm({ retention }: { readonly retention: Retention }) {
  const call = useCall()
  const form = useForm<Draft>({
    begin: () => draftOf(retention),
    submit: () => (limits === null ? null : call('settings.set', { retention: limits })),
  })
  const { draft, busy, problem } = form
  const limits = limitsIn(draft)
  const asked = JSON.stringify(limits)
  const changed = asked !== JSON.stringify(retention)
  const settled = useSettled(asked, PREVIEW_AFTER_MS)
  const isAsked = changed && limits !== null && settled === asked
  const preview = useRead('retention.preview', isAsked ? limits : null)
  const field = (name: keyof Draft, label: string, hint: string, wrong: string) => (
    <TextField
      label={label}
      optional
      hint={hint}
      value={draft[name]}
      problem={
        limitsIn({ days: '', deliveries: '', megabytes: '', [name]: draft[name] }) === null
          ? wrong
          : undefined
      }
      onChange={(value) => form.change({ [name]: value })}
    />
  )
  const counting = <span className="late">Counting deliveries to remove…</span>
  return (
    <form className="flex flex-col gap-3" aria-label="Retention limits" {...form.element}>
      <p className="text-muted">
        Everything is kept unless you set a limit. The oldest deliveries beyond it are removed for
        good, except pinned ones.
      </p>
      <div className="grid grid-cols-3 gap-4">
        {field('days', 'Days', 'Older deliveries are removed.', 'Enter a number of days from 1.')}
        {field('deliveries', 'Deliveries', "Pinned ones don't count.", 'Enter an integer from 1.')}
        {field(
          'megabytes',
          'Size in MiB',
          'Space used in the database.',
          `Enter a number from ${LEAST_KEPT_BYTES / MIB}.`,
        )}
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div className="flex min-h-7 items-center gap-3">
        <Button kind="primary" type="submit" disabled={busy || limits === null || !changed}>
          {busy ? 'Saving…' : 'Save limits'}
        </Button>
        <p role="status" className="min-w-0 text-small text-muted">
          {changed &&
            limits !== null &&
            (preview.problem !== null
              ? "Couldn't count the deliveries this removes."
              : preview.output === undefined
                ? counting
                : removalSentence(preview.output))}
        </p>
      </div>
    </form>
  )
}

function removalSentence({
  count,
  least,
}: {
  readonly count: number
  readonly least: boolean
}): string {
  if (count === 0) return 'Removes nothing now.'
  return `Removes ${least ? 'at least ' : ''}${deliveryCount(count)} now.`
}
