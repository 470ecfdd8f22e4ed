/** The bar at the bottom of the window. */
import type { ReactNode } from 'react'
import { counted } from '../../shared/text/english.ts'
import { ReplayProgress } from '../features/replay/index.ts'
import { UpdateFoot } from '../features/settings/index.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { byteSize } from '../ui/moment.ts'
import { FailuresFoot } from './recent-failures.tsx'

export function StatusBar() {
  const { status, lost } = useAppParts((state) => ({
    status: state.core.lastStatus,
    lost: state.core.connection.phase === 'lost',
  }))
  return (
    <footer className="flex h-6 shrink-0 items-center gap-4 border-t border-line bg-surface px-4 text-tiny text-subtle tabular-nums">
      {status !== null && (
        <>
          <Item title="With those of flow runs and composed requests, which the list leaves out">
            {counted(status.store.deliveries, 'stored delivery', 'stored deliveries')}
          </Item>
          <Item>{byteSize(status.store.bytes)} on disk</Item>
          <ReplayProgress />
          <UpdateFoot />
          <FailuresFoot />
          {status.store.search.state === 'filling' && (
            <Item>Indexing search: {status.store.search.left.toLocaleString('en')} left</Item>
          )}
          {status.store.search.state === 'off' && <Item>No search index (slow)</Item>}
          <span className="flex-1" />
          {status.sandbox !== null && (
            <Item>Sandbox at {status.sandbox.replace('https://', '')}</Item>
          )}
          <Item>{lost ? 'Disconnected' : `Countersign ${status.version}`}</Item>
        </>
      )}
    </footer>
  )
}

function Item({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <span title={title} className="truncate">
      {children}
    </span>
  )
}
