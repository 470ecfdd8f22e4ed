/** The Replay button, with a menu of everything else that can be done with the deliveries. */
import { ChevronDown, RotateCw, TriangleAlert } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { actionGroups } from '../../ui-state/delivery-actions.ts'
import { useApp, useAppStore, useParts } from '../../ui-state/use-app.ts'
import { Button, Hint, FootButton } from '../../ui/button.tsx'
import { ActionItems } from '../../ui/delivery-menu.tsx'
import { ButtonMenu } from '../../ui/menu.tsx'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { doneOf } from './account.ts'

export function ReplayButton({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const replayAgain = useApp((state) => state.replay.again)
  const store = useAppStore()
  // Those without a button beside this one.
  const actions = actionGroups(store.getState(), rows)
    .flat()
    .filter(({ id }) => !['open', 'replay', 'pin', 'note', 'delete'].includes(id))
  return (
    <span className="inline-flex shrink-0">
      <Hint text="Send again with a fresh signature" shortcut="replay">
        <Button
          className="rounded-r-none"
          icon={RotateCw}
          aria-label={rows.length === 1 ? 'Replay' : `Replay ${rows.length}`}
          onClick={() => void replayAgain(rows)}
        >
          <span className="@max-[560px]:hidden">Replay</span>
        </Button>
      </Hint>
      <ButtonMenu
        className="min-w-56"
        trigger={
          <Button
            className="-ml-px rounded-l-none px-1"
            aria-label="More replay options"
            icon={ChevronDown}
          />
        }
      >
        <ActionItems actions={actions} />
      </ButtonMenu>
    </span>
  )
}

// Replay progress in the status bar, with a cancel button, and a notice about interrupted replays.

export function ReplayProgress() {
  const jobs = useApp((state) => state.core.replays)
  const { show: showReplays, cancel: cancelReplay } = useParts('replay', 'show', 'cancel')
  const running = (jobs ?? []).filter((job) => job.state === 'running' && job.total > 1)
  const interrupted = (jobs ?? []).filter((job) => job.state === 'interrupted')
  const [job] = running
  const [first] = interrupted
  if (job !== undefined) {
    const bad = job.notSent + (isForged(job) ? 0 : job.failed)
    return (
      <span className="flex items-center gap-1">
        <FootButton onClick={() => showReplays(job.id)}>
          <RotateCw size={11} className="text-accent" />
          Replay: {doneOf(job).toLocaleString('en')} of {job.total.toLocaleString('en')}
          {bad > 0 && <span className="text-bad">{bad.toLocaleString('en')} failed</span>}
          {running.length > 1 && <span>and {running.length - 1} more</span>}
        </FootButton>
        <FootButton onClick={() => void cancelReplay(job.id)}>Cancel</FootButton>
      </span>
    )
  }
  if (first === undefined) return null
  return (
    <FootButton onClick={() => showReplays(first.id)}>
      <TriangleAlert size={11} className="text-warn" />
      {interrupted.length === 1
        ? '1 replay was interrupted'
        : `${interrupted.length} replays were interrupted`}
    </FootButton>
  )
}
