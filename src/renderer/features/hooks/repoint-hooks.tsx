/** After the URL changed: lists hooks that still use an old one and moves them in one step. */
import { useState, type ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { calls } from '../../../shared/model/outcomes.ts'
import type { ReceiverStatus, TunnelStatus } from '../../../shared/model/status.ts'
import { listed } from '../../../shared/text/counted.ts'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { DoneFoot, useFirstFocus } from '../../ui/dialog.tsx'
import { EnvironmentName, OutcomeIcon } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { Warnings } from './warnings.tsx'

export type Repointed = OutputOf<'hooks.repoint'>['moved']

export interface Move {
  readonly from: string
  readonly to: string
}

const count = (hooks: number) => (hooks === 1 ? '1 hook' : `${hooks} hooks`)

export function Repoint({
  move: { from, to },
  onMoved,
  onDone,
}: {
  readonly move: Move
  readonly onMoved: (moved: Repointed) => void
  readonly onDone: () => void
}) {
  const hooks = useApp((state) => state.core.hooks)
  const call = useCall()
  const first = useFirstFocus<HTMLButtonElement>()
  const [affected] = useState(() => hooksUnder(hooks, from))
  const [confirming, setConfirming] = useState(false)
  const { busy, problem, run } = useOutcome()
  const live = affected.filter(({ mode }) => mode === 'live')
  const liveNames = [...new Set(live.map(({ environment }) => environment))]
  const repoint = async () => {
    const moved = await run(() => call('hooks.repoint', { from, to, live: live.length > 0 }))
    setConfirming(false)
    if (moved !== null) onMoved(moved.moved)
  }
  return (
    <div className="flex flex-col gap-3.5">
      <p>
        {affected.length === 1 ? '1 hook still points' : `${affected.length} hooks still point`} to
        the old URL. Re-pointing registers the same paths under the new one.
      </p>
      <dl className="data grid grid-cols-[40px_minmax(0,1fr)] text-muted">
        <dt className="text-subtle">from</dt>
        <dd className="wrap-anywhere">{from}</dd>
        <dt className="text-subtle">to</dt>
        <dd className="wrap-anywhere text-text">{to}</dd>
      </dl>
      <HookLines hooks={affected} />
      {problem !== null && <ProblemView problem={problem} />}
      {confirming ? (
        <LiveConfirmation
          environment={liveNames}
          action={
            busy
              ? 'Re-pointing…'
              : `Re-point ${count(affected.length)}, ${live.length} in ${listed(liveNames, 'and')} (live)`
          }
          busy={busy}
          onConfirm={() => void repoint()}
          onBack={() => setConfirming(false)}
        >
          Live deliveries will go to the new URL.
        </LiveConfirmation>
      ) : (
        <div className="mt-1 flex flex-wrap items-center justify-end gap-2">
          <Button onClick={onDone}>Not now</Button>
          <Button
            kind="primary"

            ref={first}
            disabled={busy}
            onClick={() => {
              if (live.length > 0) setConfirming(true)
              else void repoint()
            }}
          >
            {busy ? 'Re-pointing…' : `Re-point ${count(affected.length)}`}
          </Button>
        </div>
      )}
    </div>
  )
}

export function Moved({
  moved,
  onDone,
}: {
  readonly moved: Repointed
  readonly onDone: () => void
}) {
  const failed = moved.filter(({ problem }) => problem !== null).length
  return (
    <div className="flex flex-col gap-3.5">
      <p role="status">
        {failed === 0
          ? `Done: ${count(moved.length)} re-pointed.`
          : `${count(moved.length - failed)} re-pointed, ${failed} kept the old URL.`}
      </p>
      <HookLines
        hooks={failuresFirst(moved).map(({ hook }) => hook)}
        note={(hook) => moved.find((one) => one.hook.id === hook.id)?.problem ?? null}
      />
      <Warnings warnings={moved.flatMap(({ warnings }) => warnings)} />
      <DoneFoot onDone={onDone} />
    </div>
  )
}

/** Failures come first, so they are visible without scrolling. */
function failuresFirst(moved: Repointed): Repointed {
  return [
    ...moved.filter(({ problem }) => problem !== null),
    ...moved.filter(({ problem }) => problem === null),
  ]
}

/** `note`: why a hook wasn't moved, or null. */
function HookLines({
  hooks,
  note,
}: {
  readonly hooks: readonly Hook[]
  readonly note?: (hook: Hook) => ReactNode
}) {
  return (
    <ul aria-label="Hooks" className="max-h-60 overflow-auto border-t border-line/60" tabIndex={0}>
      {hooks.map((hook) => {
        const problem = note?.(hook) ?? null
        return (
          <li key={hook.id} className="flex gap-2 border-b border-line/60 py-1.5">
            {note !== undefined && (
              <span className="mt-[3px]">
                <OutcomeIcon
                  outcome={calls[problem === null ? 'done' : 'failed']}
                  label={problem === null ? 'Re-pointed' : 'Not re-pointed'}
                />
              </span>
            )}
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2">
                <span className="data min-w-0 flex-1 truncate">{visibleText(hook.event)}</span>
                <EnvironmentName name={hook.environment} mode={hook.mode} />
              </p>
              <p className="data wrap-anywhere text-muted">{visibleText(hook.url)}</p>
              {problem !== null && <p className="text-small text-bad wrap-anywhere">{problem}</p>}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

/** Hooks under expired URLs; empty if there is no URL to move them to. */
export function strandedMoves(
  tunnel: TunnelStatus | null,
  receiver: ReceiverStatus,
  hooks: readonly Hook[],
): readonly Move[] {
  const to = receiver.publicUrl ?? receiver.url
  if (to === null || tunnel === null) return []
  return tunnel.earlier
    .filter((from) => from !== to && hooksUnder(hooks, from).length > 0)
    .map((from) => ({ from, to }))
}

/** The number of hooks to move, as the start of a sentence. */
export function pointsStill(hooks: readonly Hook[], { from }: Move): string {
  const pointing = hooksUnder(hooks, from).length
  return pointing === 1 ? '1 hook still points' : `${pointing} hooks still point`
}
