/** Compares an environment's hooks with the service's list: first the plan, then the result. */
import { useState } from 'react'
import { type HookSync, syncSummary } from '../../../shared/model/hook.ts'
import { syncs } from '../../../shared/model/outcomes.ts'
import { environmentChoices } from '../../state/environments.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { useApp } from '../../state/use-app.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { DoneFoot, FormFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useSelectedHook } from './use-selected-hook.ts'

export function SyncHooksDialog() {
  return (
    <OverlayDialog
      overlay="sync-hooks"
      title="Sync hooks"
      description="Compares the hooks here with those that the service lists. Nothing changes at the service."
    >
      {(close) => <SyncForm onDone={close} />}
    </OverlayDialog>
  )
}

function SyncForm({ onDone }: { readonly onDone: () => void }) {
  const environments = useApp((state) => state.core.environments)
  const call = useCall()
  const hook = useSelectedHook()
  const [result, setResult] = useState<HookSync | null>(null)
  const isLive = ({ environment }: { readonly environment: string }) =>
    environments.some(({ name, mode }) => name === environment && mode === 'live')
  const form = useForm<{ readonly environment: string }, HookSync>({
    begin: () => ({
      environment: hook?.environment ?? environments.find(({ current }) => current)?.name ?? '',
    }),
    confirms: isLive,
    submit: (draft) =>
      call('hooks.sync', { ...draft, dryRun: result === null, live: isLive(draft) }),
    onDone: setResult,
    onChange: () => setResult(null),
  })
  const { busy, problem } = form
  const { environment } = form.draft
  const action = result === null ? 'Compare' : 'Apply'

  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <SelectField
        label="Environment"
        choices={environmentChoices(environments)}
        {...form.field('environment')}
      />
      {result !== null && <Compared result={result} />}
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={environment}
          action={`${busy ? 'Asking the service…' : action} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          Its key is sent to the service, which is only asked for its list of hooks.
        </LiveConfirmation>
      ) : result?.hooks.some(({ changes }) => changes) === false || result?.applied === true ? (
        <DoneFoot onDone={onDone} />
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`${action}${isLive(form.draft) ? ' (live)' : ''}`}
          busyWords="Asking the service…"
          busy={busy}
        />
      )}
    </form>
  )
}

function Compared({ result }: { readonly result: HookSync }) {
  const { hooks, notes } = result
  return (
    <section aria-label="Compared hooks" className="flex flex-col gap-2">
      <p role="status">{syncSummary(result)}</p>
      <ul className="max-h-[46vh] overflow-auto border-t border-line/60 empty:hidden" tabIndex={0}>
        {hooks.map(({ state, event, url, note }, at) => (
          <li key={at} className="flex gap-3 border-b border-line/60 py-1.5">
            <span className="w-28 shrink-0">
              <OutcomeMark outcome={syncs[state]} />
            </span>
            <div className="min-w-0 flex-1">
              <p className="data truncate">{visibleText(event)}</p>
              <p className="data wrap-anywhere text-muted">{visibleText(url)}</p>
              {note !== null && (
                <p className="text-small text-subtle wrap-anywhere">{visibleText(note)}</p>
              )}
            </div>
          </li>
        ))}
      </ul>
      {notes.map((note) => (
        <p key={note} className="text-small text-muted wrap-anywhere">
          {visibleText(note)}
        </p>
      ))}
    </section>
  )
}
