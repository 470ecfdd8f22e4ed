/** What can be done with the value under the pointer, or with the selected one by the menu key. */
import { ContextMenu } from '@base-ui/react/context-menu'
import type { ReactNode } from 'react'
import { Keys } from '../../../ui/keys.tsx'

export interface TreeAction {
  readonly name: string
  readonly keys?: string
  readonly run: () => void
}

export function TreeMenu({ actions, children }: { readonly actions: readonly TreeAction[]; readonly children: ReactNode }) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="h-full min-h-0">{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-50">
          <ContextMenu.Popup className="min-w-52 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {actions.map(({ name, keys, run }) => (
              <ContextMenu.Item
                key={name}
                onClick={run}
                className="flex h-7 items-center gap-6 rounded-small px-2 outline-none data-highlighted:bg-control"
              >
                <span className="flex-1">{name}</span>
                {keys !== undefined && <Keys keys={keys} />}
              </ContextMenu.Item>
            ))}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}
