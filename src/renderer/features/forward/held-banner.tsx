/** Banner for held deliveries, on every screen except Forward. */
import { Hand } from 'lucide-react'
import { useEffect } from 'react'
import type { HeldDelivery } from '../../../shared/model/forward.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/use-now.ts'

const NONE: readonly HeldDelivery[] = []
const LOOK_MS = 250

export function HeldBanner() {
  const { held, here, known, readForward, go } = useAppParts((state) => ({
    held: state.forward.state?.held ?? NONE,
    here: state.navigation.screen === 'forward',
    known: state.core.status !== null,
    readForward: state.forward.read,
    go: state.navigation.go,
  }))
  useEffect(() => {
    if (known) void readForward()
  }, [known, readForward])
  if (held.length === 0 || here) return null
  return (
    <Banner
      tone="warn"
      icon={<Hand size={15} aria-hidden />}
      title={
        held.length === 1
          ? 'A delivery is waiting for your response.'
          : `${held.length} deliveries are waiting for your response.`
      }
      action={
        <Button
          onClick={() => {
            go('forward')
          }}
        >
          Respond
        </Button>
      }
    >
      The service waits 20 s. After 19 s, the hook's response rule applies. <TimeLeft held={held} />
    </Banner>
  )
}

/** Time until the first hook rule applies. Hidden from screen readers, which would announce it every second. */
function TimeLeft({ held }: { readonly held: readonly HeldDelivery[] }) {
  const now = useNow(LOOK_MS)
  const left = Math.min(...held.map(({ until }) => Date.parse(until))) - now
  return (
    <span aria-hidden className="data whitespace-nowrap text-warn">
      {Math.max(0, Math.ceil(left / 1_000))} s left
    </span>
  )
}
