/** The button that triggers the next event of an object. */
import { Send } from 'lucide-react'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { kindNames, objectState } from './catalogue.ts'

/** Returns the next event of an object and the label of its button, or undefined. */
function nextEventOf(object: SandboxObject): readonly [ShownEventType, string] | undefined {
  switch (object.kind) {
    case 'brand':
      return ['brand.consent', 'consent']
    case 'card':
      return ['transaction.auth', 'payment']
    case 'location':
      return ['location.status', 'status']
    case 'transaction':
      return (
        {
          pending: ['transaction.clearing', 'clearing'],
          cleared: ['transaction.refund', 'refund'],
        } as const
      )[objectState(object).word]
    case 'offer':
    case 'program':
      return undefined
  }
}

export function NextEventButton({ object }: { readonly object: SandboxObject }) {
  const prepareTrigger = useApp((state) => state.sandbox.prepareTrigger)
  const next = nextEventOf(object)
  if (next === undefined) return null
  const [event, what] = next
  return (
    <Button
      icon={Send}
      title={`Opens ${event} with this ${kindNames[object.kind].one}`}
      onClick={() => prepareTrigger({ event, of: object.id })}
    >
      Send {what}…
    </Button>
  )
}
