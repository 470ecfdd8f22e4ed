/** The deliveries of the same notification, oldest first, with the time between them. */
import type { DeliveryRow } from '../../../../shared/model/delivery.ts'
import { useAppParts } from '../../../state/use-app.ts'
import { clockTime, duration, milliseconds, ordinal } from '../../../ui/moment.ts'
import type { Shown } from '../detail-slice.ts'
import { Verdict, answerTone, toneText } from '../verdict.tsx'

export function AttemptsTab({ shown: { attempts, delivery } }: { readonly shown: Shown }) {
  const { select, openDelivery } = useAppParts((state) => ({ select: state.select, openDelivery: state.openDelivery }))
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Attempts">
      <p className="px-5 py-3 text-muted">
        {attempts.length <= 1
          ? 'This notification was delivered once. The service tries again after one minute, and after two more, where it is not answered 200 within 20 seconds.'
          : `This notification was delivered ${attempts.length} times. A delivery that is not answered 200 within 20 seconds is tried again after one minute, then after two.`}
      </p>
      <ol className="border-t border-line/50">
        {attempts.map((row, index) => {
          const present = row.id === delivery.id
          return (
            <li key={row.id} className="border-b border-line/50">
              <button
                type="button"
                aria-current={present}
                onClick={() => {
                  select(row)
                  openDelivery(row.id, false)
                }}
                className={`flex h-9 w-full items-center gap-4 px-5 text-left ${present ? 'bg-selected' : 'hover:bg-raised'}`}
              >
                <span className="w-20 shrink-0 font-medium">{row.duplicateOf === null ? ordinal(row.attempt) : 'Duplicate'}</span>
                <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
                <span className="w-24 shrink-0 text-small text-subtle">{sincePrevious(attempts, index)}</span>
                <span className="min-w-0 flex-1">
                  <Verdict of={row} />
                </span>
                <span className={`data ${toneText[answerTone(row.answer.status)]}`}>{row.answer.status ?? 'dropped'}</span>
                <span className="data w-16 text-right text-subtle">
                  {row.answer.ms === null ? '' : `${milliseconds(row.answer.ms)} ms`}
                </span>
              </button>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function sincePrevious(attempts: readonly DeliveryRow[], index: number): string {
  const before = attempts[index - 1]
  const row = attempts[index]
  if (before === undefined || row === undefined) return ''
  return `+ ${duration(Date.parse(row.receivedAt) - Date.parse(before.receivedAt))}`
}
