import { deliveryCount } from '../../../shared/text/english.ts'
import { retentionSchema, type Retention } from '../../../shared/model/retention.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { byteSize } from '../../ui/moment.ts'
import { LoadProblem } from '../../ui/message.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { InputFields, useInputForm } from '../../connected/input-form.tsx'
import { useSettled } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-call.ts'

const REREAD_MS = 3_000
const PREVIEW_AFTER_MS = 250

export function StorageSizes() {
  const { output, problem, readAgain } = useRead('storage.get', {}, { everyMs: REREAD_MS })
  if (output === undefined)
    return problem === null ? (
      <span className="late skeleton h-3 w-64" />
    ) : (
      <LoadProblem isPart title="Couldn't load sizes" problem={problem} onAgain={readAgain} />
    )
  const { storage } = output
  const size = (name: string, bytes: number, note: string) => (
    <Fact name={name}>
      <span className="data mr-4 inline-block w-16 text-right">{byteSize(bytes)}</span>
      <span className="text-small text-subtle">{note}</span>
    </Fact>
  )
  return (
    <div className="-mt-0.5 [&>dl>:nth-last-child(-n+2)]:border-b-0 [&>dl>:nth-last-child(-n+2)]:font-medium">
      <Facts>
        {size(
          'Deliveries',
          storage.database,
          storage.free === 0 ? '' : `${byteSize(storage.free)} free for reuse`,
        )}
        {size('Search index', storage.search, 'Rebuilt automatically')}
        {size('Latest changes', storage.log, 'Merged automatically')}
        {size('Total', storage.database + storage.search + storage.log, '')}
      </Facts>
    </div>
  )
}

export function RetentionLimits() {
  const retention = useApp((state) => state.core.settings.retention)
  // Restarts the form when the limits change elsewhere.
  return <LimitsForm key={JSON.stringify(retention)} retention={retention} />
}

function LimitsForm({ retention }: { readonly retention: Retention }) {
  const call = useCall()
  const form = useInputForm({
    schema: retentionSchema,
    begin: () => retention,
    early: true,
    submit: (limits) => call('settings.set', { retention: limits }),
  })
  const { input: limits, dirty: changed, busy, problem } = form
  const isValid = form.isValid()
  const settled = useSettled(JSON.stringify(limits), PREVIEW_AFTER_MS)
  const isAsked = changed && isValid && settled === JSON.stringify(limits)
  const preview = useRead('retention.preview', isAsked ? limits : null)
  return (
    <form className="flex flex-col gap-3" aria-label="Retention limits" {...form.formProps}>
      <p className="text-muted">
        Everything is kept unless you set a limit. The oldest deliveries beyond it are removed for
        good, except pinned ones.
      </p>
      <InputFields form={form} />
      {problem !== null && <ProblemView problem={problem} />}
      <div className="flex min-h-7 items-center gap-3">
        <Button kind="primary" type="submit" disabled={busy || !isValid || !changed}>
          {busy ? 'Saving…' : 'Save limits'}
        </Button>
        <p role="status" className="min-w-0 text-small text-muted">
          {changed &&
            isValid &&
            (preview.problem !== null ? (
              "Couldn't count the deliveries this removes."
            ) : preview.output === undefined ? (
              <span className="late">Counting deliveries to remove…</span>
            ) : (
              removalSentence(preview.output)
            ))}
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
