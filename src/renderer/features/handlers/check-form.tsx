/** The form of a check: which saved handler, how fast, and which cases. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { PROGRAM_CASE, type CheckCase, type CheckRun } from '../../../shared/model/check.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { SelectField } from '../../ui/select.tsx'
import { useForm, type Form } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { CaseChoice } from './case-choice.tsx'
import { initialCheckDraft, caseSelection, checkFindings, type CheckDraft } from './check-draft.ts'
import { HeadingLink, SigningFacts } from './handler-parts.tsx'

interface CheckFormProps {
  readonly cases: readonly CheckCase[]
  /** The last run, whose settings the form begins with. */
  readonly run: CheckRun | null
  readonly onCancel: (() => void) | null
}

/** Returns the form's state, and the handler that is chosen in it. */
function useCheckForm({ cases, run }: Omit<CheckFormProps, 'onCancel'>) {
  const handlers = useApp((state) => state.core.handlers)
  const go = useApp((state) => state.navigation.go)
  const { client } = useData()
  const handlerOf = ({ handlerId }: CheckDraft) => handlers.find(({ id }) => id === handlerId)
  const form = useForm<CheckDraft, OutputOf<'check.start'>>({
    begin: () => initialCheckDraft(run, handlers, cases),
    check: (typed) => checkFindings(typed, handlerOf(typed)),
    submit({ rate, chosen }) {
      if (handler === undefined) return null
      return settleCall(
        client.call('check.start', {
          target: handlerRef(handler),
          ...(rate.trim() === '' ? {} : { rate: Number(rate) }),
          only: caseSelection(chosen, cases),
          programStatus: chosen.has(PROGRAM_CASE),
        }),
      )
    },
    onDone: (started) => go('check', { run: started.run.id }),
  })
  const handler = handlerOf(form.draft)
  return { form, handler }
}

export function CheckForm({ cases, run, onCancel }: CheckFormProps) {
  const { form, handler } = useCheckForm({ cases, run })
  const { draft, change, busy, problem } = form
  const failed = (run?.results ?? [])
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ name }) => name)
  return (
    <form
      aria-label="Check handler"
      className="grid grid-cols-[minmax(320px,400px)_minmax(0,1fr)] items-start gap-x-10 gap-y-6 max-[1040px]:grid-cols-1"
      {...form.formProps}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <HandlerFields form={form} handler={handler} />
        {problem !== null && <ProblemView problem={problem} covered={['rate']} />}
        <div className="mt-1 flex gap-2">
          <Button kind="primary" type="submit" disabled={busy || handler === undefined}>
            {busy ? 'Starting…' : 'Start check'}
          </Button>
          {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
        </div>
        <p className="text-small text-subtle">
          IDs in valid deliveries start with <span className="data">c4ec0000</span>, so you can find
          what your handler stored. From a terminal: <span className="data">countersign check</span>
          .
        </p>
      </div>
      <CaseChoice
        cases={cases}
        chosen={draft.chosen}
        failed={failed}
        onChange={(chosen) => change({ chosen })}
      />
    </form>
  )
}

/** Chooses the handler, and how it is sent to. */
function HandlerFields({
  form,
  handler,
}: {
  readonly form: Form<CheckDraft>
  readonly handler: SavedHandler | undefined
}) {
  const handlers = useApp((state) => state.core.handlers)
  const edit = useApp((state) => state.handlers.edit)
  return (
    <>
      <SelectField
        label="Handler"
        hint="Use a test instance: valid events will be processed."
        choices={handlers.map((one) => ({
          value: one.id,
          label: visibleText(handlerRef(one)),
          note: visibleText(one.url),
        }))}
        {...form.field('handlerId', 'handler')}
      />
      {handler !== undefined && (
        <div className="flex items-start gap-3">
          <dl className="grid min-w-0 grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 pt-1 text-small">
            <SigningFacts handler={handler} />
          </dl>
          <HeadingLink onClick={() => edit(handler)}>Edit handler…</HeadingLink>
        </div>
      )}
      <div className="w-32">
        <TextField label="Requests per second" inputMode="decimal" {...form.field('rate')} />
      </div>
    </>
  )
}
