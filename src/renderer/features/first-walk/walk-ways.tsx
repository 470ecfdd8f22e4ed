/** Where one goes from the first walk: the places of the app where one's own work begins. */
import type { ReactNode } from 'react'
import { useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { SectionLink } from '../../ui/section-link.tsx'

export function WalkWays() {
  const store = useAppStore()
  const state = () => store.getState()
  return (
    <ul className="flex flex-wrap items-center gap-1.5">
      <Way
        onGo={() => {
          state().navigation.go('check')
        }}
      >
        Check my own handler
      </Way>
      <Way
        onGo={() => {
          state().forward.show(false)
          state().navigation.go('hooks')
          state().navigation.openOverlay('register-hook')
        }}
      >
        Register my real hook…
      </Way>
      <Way
        onGo={() => {
          state().navigation.go('flows')
          void state().flows.open('refund-matched')
        }}
      >
        Run a refund as a flow
      </Way>
      <li className="pl-1 text-small text-muted">
        How signatures are made: <SectionLink section="5.2" />
      </li>
    </ul>
  )
}

function Way({ onGo, children }: { readonly onGo: () => void; readonly children: ReactNode }) {
  return (
    <li>
      <Button onClick={onGo}>{children}</Button>
    </li>
  )
}
