/** The end of the tour: links to start with your own work, and a picture of the whole process. */
import {
  ArrowRight,
  CreditCard,
  FlaskConical,
  Inbox,
  ShieldCheck,
  type LucideIcon,
} from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'

export function TourWays() {
  const store = useAppStore()
  const state = () => store.getState()
  return (
    <ul className="flex flex-wrap items-center gap-1.5">
      <Way
        onGo={() => {
          state().navigation.go('check')
        }}
      >
        Check my handler
      </Way>
      <Way
        onGo={() => {
          state().navigation.go('hooks')
          state().navigation.openOverlay('register-hook')
        }}
      >
        Register a real hook…
      </Way>
      <Way
        onGo={() => {
          state().navigation.go('flows')
          void state().flows.open('refund-matched')
        }}
      >
        Run a refund flow
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

const parts: readonly {
  readonly Icon: LucideIcon
  readonly name: string
  readonly note: string
  readonly arrow?: string
}[] = [
  { Icon: CreditCard, name: 'Cardholder', note: 'pays in a shop', arrow: 'payment' },
  {
    Icon: FlaskConical,
    name: 'Service',
    note: 'sandbox on this computer',
    arrow: 'signed webhook',
  },
  { Icon: Inbox, name: 'Receiver', note: 'Countersign on this computer', arrow: 'body, URL, time' },
  { Icon: ShieldCheck, name: 'Verdict', note: 'valid, or diagnosed' },
]

/** The whole process in one picture, from the payment to the verified signature. */
export function TourPicture() {
  return (
    <figure
      role="img"
      aria-label="A cardholder pays. The service (the sandbox on this computer) sends a signed webhook to Countersign's receiver, which verifies or diagnoses the signature. The clearing follows two days later."
      className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 py-1"
    >
      {parts.map(({ Icon, name, note, arrow }) => (
        <Fragment key={name}>
          <span className="flex min-w-0 items-center gap-2 rounded-control border border-line bg-ground px-2.5 py-1">
            <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-accent" />
            <span className="min-w-0 leading-4">
              <span className="block font-medium">{name}</span>
              <span className="block text-tiny text-subtle max-[960px]:hidden">{note}</span>
            </span>
          </span>
          {arrow !== undefined && (
            <span className="flex shrink-0 items-center gap-1 text-tiny text-subtle">
              <span className="max-[1180px]:hidden">{arrow}</span>
              <ArrowRight size={14} aria-hidden />
            </span>
          )}
        </Fragment>
      ))}
    </figure>
  )
}
