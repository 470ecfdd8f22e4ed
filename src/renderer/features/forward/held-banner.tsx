/** Above every screen but the one where it is given: that a delivery waits for an answer by hand, with the way there. */
import { Hand } from 'lucide-react'
import { useEffect } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'

export function HeldBanner() {
  const { held, here, known, readForward, go, showForward } = useAppParts((state) => ({
    held: state.forward?.held.length ?? 0,
    here: state.screen === 'hooks' && state.forwardShown,
    known: state.status !== null,
    readForward: state.readForward,
    go: state.go,
    showForward: state.showForward,
  }))
  useEffect(() => {
    if (known) void readForward()
  }, [known, readForward])
  if (held === 0 || here) return null
  return (
    <Banner
      tone="warn"
      icon={<Hand size={15} aria-hidden />}
      title={held === 1 ? 'A delivery waits for your answer.' : `${held} deliveries wait for your answer.`}
      action={
        <Button
          onClick={() => {
            showForward(true)
            go('hooks')
          }}
        >
          Answer
        </Button>
      }
    >
      The service waits 20 s; then the rule of the hook answers.
    </Banner>
  )
}
