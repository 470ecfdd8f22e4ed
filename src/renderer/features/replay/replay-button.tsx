/** The Replay button, with a menu of other actions. */
import { ChevronDown, RotateCw } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { actionGroups } from '../../ui-state/delivery-actions.ts'
import { useApp, useAppStore } from '../../ui-state/use-app.ts'
import { Button, Hint } from '../../ui/button.tsx'
import { ActionItems } from '../../connected/delivery-menu.tsx'
import { ButtonMenu } from '../../ui/menu.tsx'

export function ReplayButton({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const replayAgain = useApp((state) => state.replay.replayToDefault)
  const store = useAppStore()
  // The actions left out have their own buttons beside this one.
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
