/** The facts about a delivery, as sentences and values. */
import { CircleX, GitCompareArrows, Info } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Delivery, DeliveryFlow, SchemaReport } from '../../../shared/model/delivery.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { printAddress } from '../../state/addresses.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import { ago, byteCount, exactTime, milliseconds } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { answerTone, handlerLook, VerdictGlyph, verdictToneText } from '../../ui/verdict.tsx'
import type { Shown } from './detail-slice.ts'
import {
  answerSentence,
  answerWords,
  attemptSentence,
  eventSentence,
  freshnessSentence,
  originSentence,
  schemaSentence,
  verdictSentence,
} from './sentences.ts'

/** More findings are shown on request: a body of another event lacks every field. */
const SHOWN_AT_FIRST = 6

/** The result of the schema check: errors first, then notes, each with its section of the spec. */
function SchemaNotes({ report: { failures, findings } }: { readonly report: SchemaReport }) {
  const [all, setAll] = useState(false)
  const notes = [
    ...failures.map((note) => ({ ...note, isFailure: true })),
    ...findings.map((note) => ({ ...note, isFailure: false })),
  ]
  if (notes.length === 0) return null
  const shown = all ? notes : notes.slice(0, SHOWN_AT_FIRST)
  return (
    <>
      <ul aria-label="Schema findings" className="mt-1 flex flex-col gap-1">
        {shown.map(({ isFailure, ...note }) => (
          <li key={`${note.path} ${note.message}`} className="flex gap-2">
            {isFailure ? (
              <CircleX size={13} role="img" aria-label="Error" className="mt-[3.5px] shrink-0 text-bad" />
            ) : (
              <Info size={13} role="img" aria-label="Note" className="mt-[3.5px] shrink-0 text-muted" />
            )}
            <span className="min-w-0 wrap-anywhere">
              <FindingText finding={note} />
            </span>
          </li>
        ))}
      </ul>
      {notes.length > shown.length && (
        <Button
          kind="quiet"
          className="mt-1 -ml-2.5 text-small"
          onClick={() => {
            setAll(true)
          }}
        >
          Show all {notes.length}
        </Button>
      )}
    </>
  )
}

function sizeNote({ truncated, bodyLost }: Delivery): { readonly note?: string } {
  if (bodyLost) return { note: 'Body lost: its database page was damaged.' }
  return truncated ? { note: 'Over the size limit: only the start was kept.' } : {}
}

export function OverviewTab({ shown: { delivery, signature, schema } }: { readonly shown: Shown }) {
  const hook = useApp((state) => state.core.hooks.find((one) => one.id === delivery.hookId))
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const event = eventSentence(delivery)
  const origin = originSentence(delivery)
  const cause = delivery.verdict === 'invalid' && delivery.verifiedHere ? (signature?.diagnosis ?? null) : null
  return (
    <div className="h-full overflow-auto px-5 py-3" tabIndex={0} role="group" aria-label="Overview">
      <Facts>
        {delivery.malformed !== null && <Fact name="Malformed">{delivery.malformed.reason}</Fact>}
        <Fact name="Signature" {...(cause === null ? {} : { note: cause.fix })}>
          {cause === null ? verdictSentence(delivery, hook, signature) : <ExactText text={cause.message} />}
        </Fact>
        <Fact
          name="Freshness"
          {...(signature?.verdict === 'valid' && signature.diagnosis !== null ? { note: signature.diagnosis.message } : {})}
        >
          {freshnessSentence(signature ?? delivery, delivery.origin)}
        </Fact>
        {origin !== null && <Fact name="Origin">{origin}</Fact>}
        <Fact name="Event" note={event.note}>
          <span className="data">
            <ExactText text={event.text} />
          </span>
        </Fact>
        <Fact name="Schema">
          {schemaSentence(delivery, schema?.failures.length ?? null)}
          {schema !== null && <SchemaNotes key={delivery.id} report={schema} />}
        </Fact>
        <Fact name="Hook" {...(hook === undefined ? {} : { note: `${hook.environment} · ${hook.mode}` })}>
          {hook === undefined ? <span className="text-muted">None matched</span> : <span className="data">{hook.url}</span>}
        </Fact>
        <Fact name="Attempt">{attemptSentence(delivery)}</Fact>
        {delivery.replayOf !== null && <ReplayOf id={delivery.replayOf} />}
        <Fact name="Response" note={answerSentence(delivery, rule)}>
          <span className={`data ${verdictToneText[answerTone(delivery.answer, rule)]}`}>{answerWords(delivery.answer)}</span>
          {delivery.answer.ms !== null && <span className="text-muted"> after {milliseconds(delivery.answer.ms)} ms</span>}
        </Fact>
        <HandlerFact delivery={delivery} />
        {delivery.flowRun !== null && <FlowFact flowRun={delivery.flowRun} />}
        <Fact name="Compare with">
          <ComparisonOffers delivery={delivery} />
        </Fact>
        <Fact name="Request">
          <span className="data">
            {delivery.method ?? '—'} <ExactText text={delivery.path ?? ''} />
          </span>
        </Fact>
        <Fact name="Received">
          <span className="data">{exactTime(delivery.receivedAt)}</span>
          {delivery.remote !== null && <span className="text-muted"> from {delivery.remote}</span>}
        </Fact>
        <Fact name="Body size" {...sizeNote(delivery)}>
          {byteCount(delivery.bodySize)}
        </Fact>
        <Fact name="SHA-256">
          <span className="flex items-center gap-1">
            <Middle text={delivery.bodySha256} tail={12} className="data" />
            <CopyButton text={delivery.bodySha256} label="Copy SHA-256" />
          </span>
        </Fact>
      </Facts>
    </div>
  )
}

/** What the user's handler last returned, when, and whether that is right. */
function HandlerFact({ delivery: { handler, ...delivery } }: { readonly delivery: Delivery }) {
  const setTab = useApp((state) => state.detail.setTab)
  if (handler === null)
    return (
      <Fact name="My handler">
        <span className="text-muted">Not recorded</span>
      </Fact>
    )
  const { word, tone, drawing, reason, from } = handlerLook({ ...delivery, handler })
  return (
    <Fact
      name="My handler"
      note={
        <>
          From <ExactText text={from} />. {reason}
        </>
      }
    >
      <span className={`data inline-flex items-center gap-1 ${verdictToneText[tone]}`}>
        <VerdictGlyph drawing={drawing} />
        {word}
      </span>
      <span className="text-muted">
        {handler.status !== null && handler.ms !== null && <> in {milliseconds(handler.ms)} ms</>}
        {handler.at !== null && <HandlerTime at={handler.at} />}
      </span>
      <Button
        kind="quiet"
        className="-my-1 text-small"
        onClick={() => {
          setTab('sends')
        }}
      >
        Show response
      </Button>
    </Fact>
  )
}

function HandlerTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      , {ago(at, useNow(5_000))}
    </time>
  )
}

/** The flow that caused the delivery: links to its run, at this step. */
function FlowFact({ flowRun: { flow, run, step } }: { readonly flowRun: DeliveryFlow }) {
  return (
    <Fact name="Flow">
      <a
        href={printAddress({ screen: 'flows', flow: { name: flow, isFile: false }, run, step })}
        className="text-accent hover:underline"
      >
        <ExactText text={flow} />
      </a>
      {step !== null && (
        <span className="text-muted">
          , step <ExactText text={step} />
        </span>
      )}
    </Fact>
  )
}

/** A request sent by the app itself: links to the delivery it repeats. */
function ReplayOf({ id }: { readonly id: string }) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  return (
    <Fact name="Replay" note="Sent by Countersign: a replay, or a forwarded delivery.">
      <Button className="font-normal" onClick={() => void goToDelivery(id)}>
        Open original
      </Button>
    </Fact>
  )
}

function ComparisonOffers({ delivery: { id: deliveryId, seq } }: { readonly delivery: Delivery }) {
  const { offers, readOffers, compare } = useAppParts((state) => ({
    offers: state.detail.comparisonOffers?.id === deliveryId ? state.detail.comparisonOffers : null,
    readOffers: state.detail.readOffers,
    compare: state.compare.start,
  }))
  useEffect(() => {
    void readOffers(deliveryId)
  }, [readOffers, deliveryId])
  if (offers === null) return <span className="text-subtle"> </span>
  if (offers.value === null) return <span className="text-muted">{offers.problem}</span>
  if (offers.value.length === 0) return <span className="text-muted">Nothing earlier to compare with.</span>
  return (
    <span className="flex flex-wrap gap-1.5">
      {offers.value.map(({ name, delivery: other }) => (
        <Button
          key={other.id}
          className="max-w-full font-normal"
          icon={<GitCompareArrows size={13} aria-hidden className="shrink-0" />}
          onClick={() => {
            // The earlier delivery is on the left.
            const [left, right] = other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
            void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
          }}
        >
          <span className="truncate" title={name}>
            {name}
          </span>
        </Button>
      ))}
    </span>
  )
}
