/** The Overview tab: summary, payload, responses, checks, and more facts. */
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  Clock,
  FileText,
  Info,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { useMemo } from 'react'
import { isExhausted } from '../../../shared/service/limits.ts'
import { closestEvent } from '../../../shared/service/payload.ts'
import { useRead } from '../../core-data/use-read.ts'
import { acknowledgementRule } from '../../core-data/environments.ts'
import { useAppStore, useApp } from '../../ui-state/use-app.ts'
import { useSearchedPhrases } from '../../ui-state/use-searched-phrases.ts'
import { Button } from '../../ui/button.tsx'
import { useSearchMarks } from '../../ui/search-marks.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { verdictToneText } from '../../ui/verdict.tsx'
import { deliverySummary, isCertain, summaryOfRow } from './summary.ts'
import { checksOf } from './summary-checks.ts'
import type { DeliverySummary } from './delivery-summary.ts'
import { quotedMessage } from '../../../shared/service/response-message.ts'
import { factsOfRow, payloadFacts } from './payload-facts.ts'
import { useSigner, type DeliveryView } from './use-delivery.ts'
import { MoreFacts } from './more-facts.tsx'
import { buttonOfAction } from './action-button.ts'
import { DeliveryChecks } from './overview-checks.tsx'
import { Payload, ResponseCells } from './overview-cells.tsx'

export function OverviewTab({ shown }: { readonly shown: DeliveryView }) {
  const { delivery, loaded, signature, schema, attempts, body } = shown
  const signer = useSigner(shown)
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const sendId = delivery.handler?.sendId
  const handlerResponse = useRead(
    'replay.send',
    loaded && sendId !== undefined ? { id: sendId } : null,
  )
  const facts = useMemo(
    () => (loaded ? payloadFacts(body.bytes) : factsOfRow(delivery)),
    [loaded, delivery, body.bytes],
  )
  const isUnknown = delivery.event === null && delivery.eventCandidates.length === 0
  const closest = useMemo(
    () => (isUnknown && loaded ? closestEvent(body.bytes) : null),
    [isUnknown, loaded, body.bytes],
  )
  const handlerWords = useMemo(
    () =>
      handlerResponse.output === undefined
        ? null
        : quotedMessage(fromBase64(handlerResponse.output.base64)),
    [handlerResponse.output],
  )
  const schemaErrors = schema?.failures.map(({ message }) => message) ?? null
  const summary = deliverySummary({
    delivery,
    signature,
    schemaErrors,
    ...signer,
    closest,
    handlerWords,
    isAbandoned:
      delivery.origin === 'received' &&
      delivery.malformed === null &&
      [delivery, ...attempts].some((row) => isExhausted(row, rule)),
  })
  const isSure = loaded || isCertain(summary)
  const marks = useSearchMarks(useSearchedPhrases(), delivery.id)
  return (
    <div
      ref={marks}
      className="h-full overflow-auto"
      tabIndex={0}
      role="group"
      aria-label="Overview"
      aria-busy={!loaded}
    >
      <Headline
        shown={shown}
        summary={loaded ? summary : summaryOfRow(summary, delivery)}
        closest={closest?.event ?? null}
        isSure={isSure}
      />
      {isSure && facts !== null && <Payload facts={facts} delivery={delivery} />}
      {isSure && (loaded || facts !== null) && (
        <ResponseCells shown={shown} rule={rule} handlerWords={handlerWords} />
      )}
      {loaded && (
        <>
          <DeliveryChecks
            key={delivery.id}
            checks={checksOf(summary, delivery, signature, schemaErrors?.length ?? null)}
            schema={schema}
            onShow={(path) => (state) => state.detail.showPath(delivery.id, path)}
          />
          <Disclosure title="More facts" openAtFirst>
            <MoreFacts shown={shown} />
          </Disclosure>
        </>
      )}
    </div>
  )
}

const headlineIcons: Readonly<Record<DeliverySummary['kind'], LucideIcon>> = {
  malformed: TriangleAlert,
  abandoned: CircleX,
  unsigned: CircleDashed,
  invalid: CircleX,
  'unknown-hook': CircleQuestionMark,
  claimed: FileText,
  stale: Clock,
  future: Clock,
  'unknown-event': Info,
  'schema-errors': CircleAlert,
  'handler-failed': CircleX,
  valid: CircleCheck,
}

const washes = { bad: 'bg-bad-wash', warn: 'bg-warn-wash' } as const

function Headline({
  shown,
  summary: { kind, headline, cause, tone, wash, urls, action },
  closest,
  isSure,
}: {
  readonly shown: DeliveryView
  readonly summary: DeliverySummary
  readonly closest: string | null
  readonly isSure: boolean
}) {
  const store = useAppStore()
  const Icon = headlineIcons[kind]
  const { label, run } = buttonOfAction(action, shown, closest)
  return (
    <section
      aria-label="Summary"
      className={`grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 border-b border-line p-5 pt-4 pb-4 @max-[560px]:px-4 ${wash === null ? '' : washes[wash]}`}
    >
      <Icon
        size={20}
        strokeWidth={1.75}
        className={`mt-1 @max-[560px]:mt-0 ${verdictToneText[tone]}`}
      />
      <div className="min-w-0">
        <p className="text-display font-medium tracking-[-0.01em] wrap-anywhere @max-[560px]:text-title @max-[560px]:tracking-normal">
          <ExactText text={headline} />
        </p>
        <p className="mt-1 text-muted wrap-anywhere">
          <QuotedText text={cause} />
        </p>
        {urls !== null && <ComparedUrls {...urls} />}
        <div className="mt-3 min-h-7">
          {isSure && (
            <Button kind="primary" onClick={() => run(store.getState())}>
              {label}
            </Button>
          )}
        </div>
      </div>
    </section>
  )
}

/** Shows the signed and the registered URL, and marks the part that only the signed one has. */
function ComparedUrls({
  signed,
  registered,
}: {
  readonly signed: string
  readonly registered: string
}) {
  const [start, end] = differingPart(signed, registered)
  return (
    <dl className="mt-3 grid grid-cols-[76px_minmax(0,1fr)] items-baseline gap-y-1">
      <dt className="text-small text-muted">Signed</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={signed.slice(0, start)} />
        {end > start && (
          <mark className="rounded-small bg-bad px-px font-medium text-ground">
            <ExactText text={signed.slice(start, end)} />
          </mark>
        )}
        <ExactText text={signed.slice(end)} />
      </dd>
      <dt className="text-small text-muted">Registered</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={registered} />
      </dd>
    </dl>
  )
}

/** Returns the range of `text` between the prefix and the suffix that it shares with `other`. */
function differingPart(text: string, other: string): readonly [start: number, end: number] {
  const limit = Math.min(text.length, other.length)
  let start = 0
  while (start < limit && text[start] === other[start]) start++
  let suffix = 0
  while (suffix < limit - start && text.at(-1 - suffix) === other.at(-1 - suffix)) suffix++
  return [start, text.length - suffix]
}
