/** The Replay button with its menu: replay, replay with changes, copy as cURL, shrink. */
import { Menu } from '@base-ui/react/menu'
import { ChevronDown, Copy, RotateCw, Shrink, SlidersHorizontal } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button, Hint } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ActionKeys } from '../../ui/keys.tsx'

const itemLook =
  'flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-highlighted:bg-control data-disabled:opacity-50'

export interface ReplayButtonProps {
  readonly rows: readonly DeliveryRow[]
  readonly compact?: boolean
  /** Names the handler that a replay goes to. */
  readonly named?: boolean
}

export function ReplayButton({ rows, compact = false, named = false }: ReplayButtonProps) {
  const { again: replayAgain, compose: composeReplay, copyCurl } = useParts('replay', 'again', 'compose', 'copyCurl')
  const openShrink = useApp((state) => state.shrink.open)
  const current = useApp((state) => state.core.handlers.find((one) => one.current))
  const [only] = rows.length === 1 ? rows : []
  const words = named && current !== undefined ? `Replay to ${handlerRef(current)}` : 'Replay'
  return (
    <span className="inline-flex shrink-0">
      <Hint text="Send again with a fresh signature" shortcut="replay">
        <Button
          className="rounded-r-none"
          icon={<RotateCw size={13} aria-hidden />}
          {...(rows.length === 1 && !compact ? {} : { 'aria-label': rows.length === 1 ? words : `Replay ${rows.length}` })}
          onClick={() => void replayAgain(rows)}
        >
          <span className={compact ? '@max-[560px]:hidden' : ''}>{words}</span>
          {named && <ActionKeys action="replay" />}
        </Button>
      </Hint>
      <Menu.Root>
        <Menu.Trigger
          render={
            <Button
              className="-ml-px rounded-l-none px-1"
              aria-label="More replay options"
              icon={<ChevronDown size={14} aria-hidden />}
            />
          }
        />
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" className="z-50 outline-none">
            <Menu.Popup className="min-w-56 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
              <Menu.Item
                className={itemLook}
                onClick={() => {
                  composeReplay({ kind: 'rows', rows })
                }}
              >
                <SlidersHorizontal size={13} aria-hidden className="text-subtle" />
                <span className="flex-1">Replay with changes…</span>
                <ActionKeys action="replay-compose" />
              </Menu.Item>
              <Menu.Item
                className={itemLook}
                disabled={only === undefined || only.malformed !== null}
                onClick={() => {
                  if (only !== undefined) void copyCurl(only.id)
                }}
              >
                <Copy size={13} aria-hidden className="text-subtle" />
                <span className="flex-1">Copy as cURL (re-signed)</span>
              </Menu.Item>
              <Menu.Item
                className={itemLook}
                disabled={only === undefined || only.malformed !== null || only.truncated || only.bodySize === 0}
                onClick={() => {
                  if (only !== undefined) void openShrink(only)
                }}
              >
                <Shrink size={13} aria-hidden className="text-subtle" />
                <span className="flex-1">Shrink body…</span>
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  )
}
