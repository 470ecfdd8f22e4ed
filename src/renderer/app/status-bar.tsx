/** The foot of the window: what is stored, where the sandbox is, and whether the window is connected. */
import type { ReactNode } from 'react'
import { ReplayProgress } from '../features/replay/index.ts'
import { ShrinkFoot } from '../features/shrink/index.ts'
import { useAppParts } from '../state/use-app.ts'
import { byteSize } from '../ui/moment.ts'

export function StatusBar() {
  const { status, lost } = useAppParts((state) => ({ status: state.core.status, lost: state.core.connection.phase === 'lost' }))
  return (
    <footer className="flex h-6 shrink-0 items-center gap-4 border-t border-line bg-surface px-4 text-tiny text-subtle tabular-nums">
      {status !== null && (
        <>
          <Item>
            {status.store.deliveries === 1 ? '1 delivery' : `${status.store.deliveries.toLocaleString('en')} deliveries`}
          </Item>
          <Item>{byteSize(status.store.bytes)} on disk</Item>
          <ReplayProgress />
          <ShrinkFoot />
          {status.store.search.state === 'filling' && (
            <Item>Search: {status.store.search.left.toLocaleString('en')} to index</Item>
          )}
          {status.store.search.state === 'checking' && <Item>Search: being checked</Item>}
          {status.store.search.state === 'off' && <Item>Search: no index, slow</Item>}
          <span className="flex-1" />
          {status.sandbox !== null && <Item>Sandbox at {status.sandbox.replace('https://', '')}</Item>}
          <Item>{lost ? 'Not connected' : `Countersign ${status.version}`}</Item>
        </>
      )}
    </footer>
  )
}

function Item({ children }: { readonly children: ReactNode }) {
  return <span className="truncate whitespace-nowrap">{children}</span>
}
