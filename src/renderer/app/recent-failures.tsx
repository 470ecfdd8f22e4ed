/** The last failures, for users who dismissed their notice. */
import { CircleX } from 'lucide-react'
import { counted } from '../../shared/text/english.ts'
import type { PastFailure } from '../ui-state/failures-slice.ts'
import { useApp, useParts } from '../ui-state/use-app.ts'
import { FootButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { QuotedText } from '../ui/finding-text.tsx'
import { clockTime, exactTime } from '../ui/moment.ts'

export function FailuresFoot() {
  const failures = useApp((state) => state.failures.past)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  if (failures.length === 0) return null
  return (
    <FootButton onClick={() => openOverlay('failures')}>
      <CircleX size={11} className="text-bad" />
      {counted(failures.length, 'recent failure')}
    </FootButton>
  )
}

const failureText = ({ at, title, message }: PastFailure) =>
  `${exactTime(at)} ${title}${message === undefined ? '' : `: ${message}`}`

export function RecentFailures() {
  const failures = useApp((state) => state.failures.past)
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  return (
    <Dialog
      open={overlay === 'failures'}
      onClose={closeOverlay}
      title="Recent failures"
      description="Since this window opened. Not stored."
      wide
    >
      {failures.length === 0 ? (
        <p className="text-muted">No failures.</p>
      ) : (
        <ul aria-label="Recent failures" className="-my-2 flex flex-col">
          {failures.map((failure, place) => (
            <li
              key={failures.length - place}
              className="flex items-baseline gap-3 border-b border-line py-2 last:border-b-0"
            >
              <time
                dateTime={failure.at}
                title={exactTime(failure.at)}
                className="data shrink-0 text-subtle"
              >
                {clockTime(failure.at)}
              </time>
              <div className="min-w-0 flex-1">
                <p className="font-medium wrap-anywhere">
                  {failure.title}
                  {failure.times > 1 && (
                    <span className="font-normal text-subtle"> ({failure.times} times)</span>
                  )}
                </p>
                {failure.message !== undefined && (
                  <p className="text-small wrap-anywhere text-muted">
                    <QuotedText text={failure.message} />
                  </p>
                )}
              </div>
              <CopyButton
                text={failureText(failure)}
                label={`Copy "${failure.title}"`}
                className="-my-1"
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
