/** Recent requests to a target, newest first, each linked to its delivery. */
import { lookOfForwarded } from '../../../shared/model/outcomes.ts'
import type { ListedSend, Send } from '../../../shared/model/send.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { clockTime, exactTime, milliseconds } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'

/** The result, with details while it is pending. */
function OutcomeOf({ send }: { readonly send: Send }) {
  const { tries, state } = send
  const look = lookOfForwarded(send)
  const waited =
    state === 'waiting' && tries > 0 ? `, after ${tries} ${tries === 1 ? 'try' : 'tries'}` : ''
  return <OutcomeMark outcome={{ ...look, word: `${look.word}${waited}` }} />
}

const LINE = 'flex w-full flex-wrap items-baseline gap-x-3 px-1'
const TIME = 'w-[88px] shrink-0'
const EVENT = 'w-[184px] min-w-0 truncate @max-[480px]:w-[128px] @max-[380px]:w-[104px]'

export function TargetSends({ sends }: { readonly sends: readonly ListedSend[] }) {
  return (
    <>
      <div aria-hidden className={`${LINE} pb-1 text-small text-subtle`}>
        <span className={TIME}>Received</span>
        <span className={EVENT}>Event</span>
        <span>Result</span>
      </div>
      <ul className="border-t border-line/60">
        {sends.map((send) => (
          <li key={send.id} className="border-b border-line/60">
            <TargetSend send={send} />
          </li>
        ))}
      </ul>
    </>
  )
}

function TargetSend({ send }: { readonly send: ListedSend }) {
  const { goTo: goToDelivery, setTab } = useParts('detail', 'goTo', 'setTab')
  const go = useApp((state) => state.navigation.go)
  const { event, receivedAt, startedAt, state, ms, error } = send
  const sent = startedAt === null ? '' : `, sent ${exactTime(startedAt)}`
  return (
    <button
      type="button"
      onClick={() => {
        go('deliveries')
        setTab('sends')
        void goToDelivery(send.deliveryId)
      }}
      className={`${LINE} py-1.5 text-left outline-offset-[-2px] hover:bg-raised`}
      title={`Show in delivery, received ${exactTime(receivedAt)}${sent}`}
    >
      <span className={`data text-muted ${TIME}`}>{clockTime(receivedAt)}</span>
      <span className={`data ${event === null ? 'text-subtle' : ''} ${EVENT}`}>
        {event === null ? 'unknown event' : visibleText(event)}
      </span>
      <span className="min-w-0 flex-1">
        <OutcomeOf send={send} />
      </span>
      <span className="data text-muted @max-[400px]:hidden">
        {ms === null || state !== 'settled' ? '' : `${milliseconds(ms)} ms`}
      </span>
      {error !== null && state !== 'cancelled' && (
        <span className="w-full pl-[100px] text-small wrap-anywhere text-muted">
          {visibleText(error)}
        </span>
      )}
    </button>
  )
}
