/** The form that moves hooks from a URL to the present one. */
import { useState } from 'react'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { repointOutcomes } from '../../../shared/model/service-outcomes.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { DoneFoot } from '../../ui/form-foot.tsx'
import { EnvironmentName, OutcomeIcon } from '../../ui/outcome-mark.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-call.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useHookUrl } from './use-hook-url.ts'
import { Warnings } from './warnings.tsx'

type Repointed = OutputOf<'hooks.repoint'>['moved']

/** Returns the number of hooks to move, as the start of a sentence. */
export function hooksPointing(hooks: readonly Hook[]): string {
  return hooks.length === 1 ? '1 hook still points' : `${hooks.length} hooks still point`
}

/** Moves the hooks under a URL to the present one, and says which were moved. */
export function RepointHooks({
  from,
  onDone,
}: {
  readonly from: string
  readonly onDone: () => void
}) {
  const { url } = useHookUrl()
  const hooks = useApp((state) => state.core.hooks)
  const call = useCall()
  const [affected] = useState(() => hooksUnder(hooks, from))
  const [moved, setMoved] = useState<Repointed | null>(null)
  const form = useForm<object, { readonly moved: Repointed }>({
    begin: () => ({}),
    submit: () => (url === null ? null : call('hooks.repoint', { from, to: url })),
    onDone: (done) => setMoved(done.moved),
  })
  const failed = moved?.filter(({ problem }) => problem !== null) ?? []
  // Failures come first, so they are visible without scrolling.
  const listed =
    moved === null ? affected : [...new Set([...failed, ...moved])].map(({ hook }) => hook)
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <p role="status">
        {moved === null
          ? `${hooksPointing(affected)} to the old URL.`
          : failed.length === 0
            ? `Done: ${counted(moved.length, 'hook')} re-pointed.`
            : `${counted(moved.length - failed.length, 'hook')} re-pointed, ${failed.length} kept the old URL.`}
      </p>
      <dl className="data grid grid-cols-[40px_minmax(0,1fr)] text-muted">
        <dt className="text-subtle">from</dt>
        <dd className="wrap-anywhere">{from}</dd>
        <dt className="text-subtle">to</dt>
        <dd className="wrap-anywhere text-text">{url}</dd>
      </dl>
      <ul
        aria-label="Hooks"
        className="max-h-60 overflow-auto border-t border-line/60"
        tabIndex={0}
      >
        {listed.map((hook) => (
          <HookLine
            key={hook.id}
            hook={hook}
            result={moved?.find((one) => one.hook.id === hook.id) ?? null}
          />
        ))}
      </ul>
      {moved === null ? (
        <FormEnd
          form={form}
          live={affected.some(({ mode }) => mode === 'live')}
          action={`Re-point ${counted(affected.length, 'hook')}`}
          busyWords="Re-pointing…"
          onCancel={onDone}
        />
      ) : (
        <>
          <Warnings warnings={moved.flatMap(({ warnings }) => warnings)} />
          <DoneFoot onDone={onDone} />
        </>
      )}
    </form>
  )
}

/** Shows a hook to move, and the result once it is known. */
function HookLine({
  hook: { event, environment, mode, url },
  result,
}: {
  readonly hook: Hook
  readonly result: Repointed[number] | null
}) {
  const problem = result?.problem ?? null
  return (
    <li className="flex gap-2 border-b border-line/60 py-1.5">
      {result !== null && (
        <span className="mt-[3px]">
          <OutcomeIcon
            outcome={repointOutcomes[problem === null ? 'done' : 'failed']}
            label={problem === null ? 'Re-pointed' : 'Not re-pointed'}
          />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          <span className="data min-w-0 flex-1 truncate">{visibleText(event)}</span>
          <EnvironmentName name={environment} mode={mode} />
        </p>
        <p className="data wrap-anywhere text-muted">{visibleText(url)}</p>
        {problem !== null && <p className="text-small text-bad wrap-anywhere">{problem}</p>}
      </div>
    </li>
  )
}
