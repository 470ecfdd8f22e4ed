/** Asked when a hook's deliveries are sent again for the first time: where to. */
import { useState, type FormEvent } from 'react'
import { useApp, useParts } from '../../state/use-app.ts'
import { TargetAuthorityField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { Button } from '../../ui/button.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import type { ReplaySource } from './replay-slice.ts'
import { hasSeveralEndpoints, isTarget, registeredUrlOf, StartProgress, TargetField, useTargets } from './target-field.tsx'

export function TargetForm({ source, onDone }: { readonly source: ReplaySource; readonly onDone: () => void }) {
  const hooks = useApp((state) => state.core.hooks)
  const { start: startReplay, giveUpStart, compose: composeReplay } = useParts('replay', 'start', 'giveUpStart', 'compose')
  const targets = useTargets()
  const [typed, setTyped] = useState<string | null>(null)
  const { busy, problem, run, clear } = useOutcome()
  const target = typed ?? targets?.recent[0] ?? ''
  const registered = registeredUrlOf(source, hooks)
  const address = target.trim() === '' ? (registered ?? '') : target
  const authority = useTargetAuthority(address)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isTarget(target)) return
    const to = target.trim() === '' ? null : target.trim()
    const what = source.kind === 'query' ? { query: source.query } : { ids: source.rows.map(({ id }) => id) }
    const job = await run(() => startReplay({ ...what, to, targetCa: authority.targetCa }))
    if (job === null) return
    authority.remember()
    onDone()
  }
  if (targets === null) return null
  return (
    <form className="flex flex-col gap-3.5" onSubmit={(event) => void submit(event)}>
      <TargetField target={target} onTarget={setTyped} registered={registered} recent={targets.recent} />
      <TargetAuthorityField
        target={address}
        several={address === '' && hasSeveralEndpoints(source, hooks)}
        value={authority.value}
        problem={findingsAtField(problem?.findings ?? [], 'targetCa')}
        onChange={(caPem) => {
          authority.change(caPem)
          clear()
        }}
      />
      {problem !== null && <ProblemView problem={problem} covered={['targetCa']} />}
      <StartProgress />
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
          <Button
            kind="quiet"
            className="mr-auto h-8"
            onClick={() => {
              composeReplay(source)
            }}
          >
            With changes…
          </Button>
        }
      />
    </form>
  )
}
