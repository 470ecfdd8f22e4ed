/** The form that asks for the target of a hook's first replay. */
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { ReplaySource } from './replay-state.ts'
import { TargetCaCertificateField, useTargetAuthority } from '../../connected/authority-field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm, type Form } from '../../ui/use-form.ts'
import { TargetField } from './target-field.tsx'
import { deliveriesOf } from './use-composer.ts'
import {
  hasSeveralEndpoints,
  isTarget,
  registeredUrlOf,
  useFirstEndpoint,
  useReplayTarget,
} from './replay-target.ts'
import { FormFoot } from '../../ui/form-foot.tsx'

export function TargetForm({
  source,
  onDone,
}: {
  readonly source: ReplaySource
  readonly onDone: () => void
}) {
  const hooks = useApp((state) => state.core.hooks)
  const {
    start: startReplay,
    giveUpStart,
    compose: composeReplay,
  } = useParts('replay', 'start', 'giveUpStart', 'compose')
  const first = useFirstEndpoint(source)
  const form: Form<{ readonly typed: string | null }> = useForm({
    begin: (): { readonly typed: string | null } => ({ typed: null }),
    submit() {
      if (!isTarget(target)) return null
      const to = target.trim() === '' ? null : target.trim()
      return startReplay({ ...deliveriesOf(source), to, targetCa: authority.targetCa })
    },
    onDone() {
      authority.remember()
      onDone()
    },
  })
  const { draft, busy, problem } = form
  const target = draft.typed ?? first ?? ''
  const registered = registeredUrlOf(source, hooks)
  const { handler, url: targetUrl } = useReplayTarget(target, registered)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? targetUrl : '')
  if (first === null) return null
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <TargetField
        target={target}
        onTarget={(typed) => form.change({ typed })}
        registered={registered}
      />
      {handler === null && (
        <TargetCaCertificateField
          target={targetUrl}
          several={targetUrl === '' && hasSeveralEndpoints(source, hooks)}
          value={authority.value}
          problem={form.problemAt('targetCa')}
          onChange={(caPem) => {
            authority.change(caPem)
            form.change({})
          }}
        />
      )}
      {problem !== null && <ProblemView problem={problem} covered={['targetCa']} />}
      <FormFoot
        onCancel={() => {
          giveUpStart()
          onDone()
        }}
        action="Replay"
        busyWords="Sending…"
        busy={busy}
        disabled={!isTarget(target)}
        aside={
          <Button kind="quiet" className="mr-auto" onClick={() => composeReplay(source)}>
            With changes…
          </Button>
        }
      />
    </form>
  )
}
