/** Two panes with a line between them that can be moved: side by side, or one above the other in a narrow window. */
import type { ReactNode } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { useNarrow } from './use-narrow.ts'

export interface Pane {
  readonly id: string
  readonly content: ReactNode
  /** With their units; what suits a list and a detail where absent. */
  readonly minSize?: string
  readonly defaultSize?: string
}

export interface SplitPanesProps {
  /** Under which their sizes are remembered. */
  readonly name: string
  readonly first: Pane
  /** Null: the first has all the room. */
  readonly second: Pane | null
  /** What moving the line does. */
  readonly resize: string
  /** Under which width of the window one stands above the other; 900 where absent. */
  readonly stackBelow?: number
  readonly className?: string
}

export function SplitPanes({ name, first, second, resize, stackBelow, className = 'h-full' }: SplitPanesProps) {
  const stacked = useNarrow(stackBelow)
  const orientation = stacked ? 'vertical' : 'horizontal'
  const panelIds = second === null ? [first.id] : [first.id, second.id]
  const layout = useDefaultLayout({ id: `${name}-${orientation}`, panelIds, storage: localStorage })
  return (
    <Group
      orientation={orientation}
      className={className}
      defaultLayout={layout.defaultLayout}
      onLayoutChanged={layout.onLayoutChanged}
    >
      <Panel id={first.id} minSize={first.minSize ?? (stacked ? '25%' : '34%')} defaultSize={first.defaultSize}>
        {first.content}
      </Panel>
      {second !== null && (
        <>
          <Separator
            aria-label={resize}
            className={`relative shrink-0 bg-line transition-colors hover:bg-accent ${stacked ? 'h-px' : 'w-px'}`}
          />
          <Panel id={second.id} minSize={second.minSize ?? (stacked ? '30%' : '34%')} defaultSize={second.defaultSize}>
            {second.content}
          </Panel>
        </>
      )}
    </Group>
  )
}
