/** The last sends to a target, newest first; each leads to its delivery. */
import type { Send } from '../../../shared/model/send.ts'
import { useAppParts } from '../../state/use-app.ts'
import { clockTime, exactTime, milliseconds } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

interface Said {
  readonly word: string
  readonly tone: string
}

function stateOf({ state, status, outcome, tries }: Send): Said {
  switch (state) {
    case 'waiting':
      return { word: tries > 0 ? `waits, ${tries} ${tries === 1 ? 'try' : 'tries'} made` : 'waits', tone: 'text-muted' }
    case 'under-way':
      return { word: 'under way', tone: 'text-accent' }
    case 'uncertain':
      return { word: 'uncertain: it was under way when the program ended', tone: 'text-warn' }
    case 'not-sent':
      return { word: 'not sent', tone: 'text-warn' }
    case 'cancelled':
      return { word: 'dropped', tone: 'text-muted' }
    case 'settled': {
      const isGood = outcome === 'first-pass' || outcome === 'still-passing' || outcome === 'fixed'
      const after = tries > 0 ? ` after ${tries + 1} tries` : ''
      return { word: `${status === null ? 'no answer' : `answered ${status}`}${after}`, tone: isGood ? 'text-ok' : 'text-bad' }
    }
  }
}

export function TargetSends({ sends }: { readonly sends: readonly Send[] }) {
  const { openDelivery, go } = useAppParts((state) => ({ openDelivery: state.openDelivery, go: state.go }))
  return (
    <ul className="border-t border-line/60">
      {sends.map((send) => {
        const { word, tone } = stateOf(send)
        return (
          <li key={send.id} className="border-b border-line/60">
            <button
              type="button"
              onClick={() => {
                go('deliveries')
                openDelivery(send.deliveryId, true)
              }}
              className="flex w-full flex-wrap items-baseline gap-x-3 px-1 py-1.5 text-left outline-offset-[-2px] hover:bg-raised"
              title={`Open delivery ${send.deliveryId}`}
            >
              <span
                className="data w-[92px] shrink-0 text-muted"
                title={send.startedAt === null ? undefined : exactTime(send.startedAt)}
              >
                {send.startedAt === null ? '' : clockTime(send.startedAt)}
              </span>
              <span className={`min-w-0 flex-1 ${tone}`}>{word}</span>
              <span className="data text-muted">
                {send.ms === null || send.state !== 'settled' ? '' : `${milliseconds(send.ms)} ms`}
              </span>
              {send.error !== null && send.state !== 'cancelled' && (
                <span className="w-full pl-[104px] text-small wrap-anywhere text-muted">{visibleText(send.error)}</span>
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
