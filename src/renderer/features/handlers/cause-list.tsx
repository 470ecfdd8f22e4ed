/** Causes of a handler's failures: what each explains, an example, its fix and its code. */
import { CircleX, RotateCw } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import {
  causeCounts,
  explainedWords,
  type HandlerCause,
  type HandlerCauses,
} from '../../../shared/model/handler-causes.ts'
import { FIRST_CASE, type CheckRun } from '../../../shared/model/check.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { ProgramView } from '../../connected/program-view.tsx'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { codeVector } from './cause-code.ts'
import type { HandlerActions } from './use-handler-actions.ts'

interface CausesProps {
  readonly run: CheckRun | null
  /** Replays what a cause explains; without it, the check alone is shown. */
  readonly replay?: HandlerActions['replay']
  /** Whether the first replay is the page's primary action. */
  readonly isPrimary?: boolean
  /** Content below a cause. */
  readonly below?: (cause: HandlerCause) => ReactNode
}

/** Lists causes, the widest first; empty without any. */
export function CauseList({
  explained,
  ...props
}: CausesProps & { readonly explained: HandlerCauses }) {
  const { causes } = explained
  if (causes.length === 0) return null
  const first = causes.find(isReplayable)
  const unexplained = causeCounts(explained.unexplained)
  return (
    <section
      aria-label="Causes"
      className={`border-b border-line bg-bad-wash ${props.replay === undefined ? 'px-4' : 'px-5'}`}
    >
      <div className="flex flex-wrap justify-between gap-x-3 pt-3 text-small text-muted">
        <h3 className="font-medium">{explainedWords(explained)}</h3>
        {unexplained !== '' && <span>Unexplained: {unexplained}</span>}
      </div>
      {causes.map((cause, index) => (
        <Cause
          key={`${cause.cause} ${index}`}
          {...props}
          cause={cause}
          isPrimary={props.isPrimary === true && cause === first}
        />
      ))}
    </section>
  )
}

/** Whether deliveries failed by this cause, which can be replayed once it is fixed. */
export function isReplayable({ deliveries }: HandlerCause): boolean {
  return deliveries.length > 0
}

function Cause({
  cause,
  run,
  replay,
  isPrimary = false,
  below,
}: CausesProps & { readonly cause: HandlerCause }) {
  const { title, message, fix, section, deliveries } = cause
  const [isCodeShown, setCodeShown] = useState(false)
  const showOne = useExample(cause, run)
  const exchange = run?.results.find(({ name }) => name === FIRST_CASE)?.exchanges[0]
  const vector = useMemo(
    () => (exchange === undefined ? null : codeVector(cause, exchange)),
    [cause, exchange],
  )
  return (
    <article className="relative flex flex-wrap items-start gap-x-3 gap-y-1.5 border-line/50 py-3 not-last:border-b">
      <CircleX size={14} className="absolute mt-1 text-bad" />
      <div className="min-w-0 flex-1 basis-72 pl-6.5 wrap-anywhere">
        <h4 className="text-title font-medium">
          <QuotedText text={title} />
        </h4>
        <p className="text-muted">
          <QuotedText text={message} />
        </p>
        <p className="mt-0.5 text-small text-muted">
          <QuotedText text={fix} /> {section !== null && <SectionLink section={section} />}
        </p>
        {below?.(cause)}
      </div>
      <div className="ml-auto flex flex-col items-end gap-1.5">
        <p className="data font-medium text-bad">{causeCounts(cause)}</p>
        <p className="flex flex-wrap justify-end gap-1.5">
          {showOne !== null && <Button onClick={showOne}>Show one</Button>}
          {vector !== null && (
            <Button aria-expanded={isCodeShown} onClick={() => setCodeShown(!isCodeShown)}>
              {isCodeShown ? 'Hide code' : 'Show code'}
            </Button>
          )}
          {replay !== undefined && isReplayable(cause) && (
            <Button
              kind={isPrimary ? 'primary' : 'plain'}
              icon={RotateCw}
              onClick={() => replay({ ids: deliveries })}
            >
              Replay {deliveryCount(deliveries.length)}
            </Button>
          )}
        </p>
      </div>
      {isCodeShown && vector !== null && (
        <div className="min-w-0 basis-full pl-6.5">
          <ProgramView vector={vector}>
            . It prints "valid": compare its steps with yours.
          </ProgramView>
        </div>
      )}
    </article>
  )
}

/** Returns the function that shows a failure that the cause explains; null without one. */
function useExample({ deliveries, cases }: HandlerCause, run: CheckRun | null) {
  const go = useApp((state) => state.navigation.go)
  const [delivery] = deliveries
  const [name] = cases
  if (delivery !== undefined) return () => go('deliveries', { id: delivery, tab: 'history' })
  return name === undefined || run === null ? null : () => go('check', { run: run.id, case: name })
}
