/** The Replay button, with a menu of everything else that can be done with the deliveries. */
import { ChevronDown, RotateCw } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { actionGroups } from '../../state/delivery-actions.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { Button, Hint } from '../../ui/button.tsx'
import { ActionItems } from '../../ui/delivery-menu.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ButtonMenu } from '../../ui/menu.tsx'
import { ActionKeys } from '../../ui/keys.tsx'

export function ReplayButton({
  rows,
  compact = false,
  named = false,
}: {
  readonly rows: readonly DeliveryRow[]
  readonly compact?: boolean
  /** Names the handler that a replay goes to. */
  readonly named?: boolean
}) {
  const replayAgain = useApp((state) => state.replay.again)
  const current = useApp((state) => state.core.handlers.find((one) => one.current))
  const store = useAppStore()
  // Those without a button beside this one.
  const actions = actionGroups(store.getState(), rows)
    .flat()
    .filter(({ id }) => !['open', 'replay', 'pin', 'note', 'delete'].includes(id))
  const words = named && current !== undefined ? `Replay to ${handlerRef(current)}` : 'Replay'
  return (
    <span className="inline-flex shrink-0">
      <Hint text="Send again with a fresh signature" shortcut="replay">
        <Button
          className="rounded-r-none"
          icon={<RotateCw size={13} aria-hidden />}
          {...(rows.length === 1 && !compact
            ? {}
            : { 'aria-label': rows.length === 1 ? words : `Replay ${rows.length}` })}
          onClick={() => void replayAgain(rows)}
        >
          <span className={compact ? '@max-[560px]:hidden' : ''}>{words}</span>
          {named && <ActionKeys action="replay" />}
        </Button>
      </Hint>
      <ButtonMenu
        look="min-w-56"
        trigger={
          <Button
            className="-ml-px rounded-l-none px-1"
            aria-label="More replay options"
            icon={<ChevronDown size={14} aria-hidden />}
          />
        }
      >
        <ActionItems actions={actions} />
      </ButtonMenu>
    </span>
  )
}
