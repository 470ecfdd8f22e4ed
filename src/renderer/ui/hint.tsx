/** A short explanation on hover or focus. It repeats what the element's own name says, so nothing depends on it. */
import { Tooltip } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import { Keys } from './keys.tsx'

export interface HintProps {
  readonly text: string
  readonly keys?: string
  /** Where it stands; above, unless something that is read stands there. */
  readonly side?: 'top' | 'right'
  readonly children: ReactElement<Record<string, unknown>>
}

export function Hint({ text, keys, side = 'top', children }: HintProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="z-50">
          <Tooltip.Popup className="flex max-w-96 items-center gap-2 rounded-control border border-line bg-raised px-2 py-1 text-small break-words text-text shadow-overlay">
            {text}
            {keys !== undefined && <Keys keys={keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
