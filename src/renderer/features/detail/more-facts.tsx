/** More facts about a delivery: origin, hook, event, request and size. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import {
  type Delivery,
  type DeliveryRow,
  ALTERED_BODY,
  senderOf,
} from '../../../shared/model/delivery.ts'
import { isDeletedHook } from '../../../shared/model/hook.ts'
import { subjectWord, type Lifecycle } from '../../../shared/model/lifecycle.ts'
import { termOf } from '../../../shared/query/edit-query.ts'
import { uncapitalized } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { printAddress } from '../../ui-state/routes.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { ExactText, ExactLines, MiddleTruncated, UrlText } from '../../ui/exact-text.tsx'
import { exactTime } from '../../ui/moment.ts'
import { eventSentence, originSentence } from './fact-sentences.ts'
import type { DeliveryView } from './use-delivery.ts'
import { LinkButton } from './link-button.tsx'
import { FactItem, Copied } from './fact-item.tsx'
import { ComparisonItems } from './comparison-offers.tsx'
import { rowValue } from '../../ui-state/row-values.ts'

export function MoreFacts({ shown: { delivery, signature } }: { readonly shown: DeliveryView }) {
  const event = eventSentence(delivery)
  const origin = originSentence(delivery)
  return (
    <dl
      aria-label="More facts"
      className="grid grid-cols-[104px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 text-small text-muted @max-[480px]:grid-cols-[80px_minmax(0,1fr)]"
    >
      {origin !== null && <FactItem name="Origin">{origin}</FactItem>}
      {delivery.malformed === null && (
        <>
          <HookItem delivery={delivery} signature={signature} />
          <FactItem name="Event" menu={rowValue(delivery, 'event')}>
            <span className="data text-text">
              <ExactText text={event.text} />
            </span>{' '}
            {event.note}
          </FactItem>
          <PurchaseItem delivery={delivery} />
          <ComparisonItems delivery={delivery} />
        </>
      )}
      {delivery.environment !== null && (
        <EnvironmentItem environment={delivery.environment} mode={delivery.mode} />
      )}
      {delivery.replayOf !== null && <ReplayOf id={delivery.replayOf} />}
      {delivery.name !== null && (
        <FactItem name="Name">
          <ExactText text={delivery.name} />
        </FactItem>
      )}
      {delivery.flowRun !== null && <FlowItem flowRun={delivery.flowRun} />}
      <RequestItem delivery={delivery} />
      <FactItem name="Received" menu={rowValue(delivery, 'time')}>
        <span className="data text-text">{exactTime(delivery.receivedAt)}</span>
      </FactItem>
      {delivery.judgedAt !== null && (
        <FactItem name="Judged again">
          <span className="data text-text">{exactTime(delivery.judgedAt)}</span>
        </FactItem>
      )}
      <FactItem name="Size" menu={rowValue(delivery, 'size')}>
        <span className="data text-text">{delivery.bodySize.toLocaleString('en')}</span>{' '}
        {delivery.bodySize === 1 ? 'byte' : 'bytes'}
        <SizeNote delivery={delivery} />
      </FactItem>
      <FactItem
        name="SHA-256"
        menu={{
          name: 'SHA-256',
          text: delivery.bodySha256,
          term: termOf('sha256', delivery.bodySha256),
        }}
      >
        <Copied text={delivery.bodySha256} label="Copy SHA-256">
          <MiddleTruncated text={delivery.bodySha256} tail={12} />
        </Copied>
      </FactItem>
      <FactItem name="ID" menu={{ name: 'ID', text: delivery.id, term: termOf('id', delivery.id) }}>
        <Copied text={delivery.id} label="Copy whole ID">
          {delivery.id}
        </Copied>
      </FactItem>
      <NoteItem delivery={delivery} />
    </dl>
  )
}

function HookItem({ delivery, signature }: Pick<DeliveryView, 'delivery' | 'signature'>) {
  const hook = useApp((state) => state.core.hooks.find(({ id }) => id === delivery.hookId))
  return (
    <FactItem
      name="Hook"
      menu={
        hook === undefined ? null : { name: 'Hook', text: hook.url, term: termOf('hook', hook.id) }
      }
    >
      {hook === undefined ? (
        'None matched'
      ) : (
        <Copied text={hook.url} label="Copy hook URL">
          <UrlText url={hook.url} />
          {isDeletedHook(hook) && ' (deleted)'}
          {signature?.hookInferred === true && ` (probably the ${hook.event} hook)`}
        </Copied>
      )}
    </FactItem>
  )
}

function EnvironmentItem({
  environment,
  mode,
}: {
  readonly environment: string
  readonly mode: Delivery['mode']
}) {
  return (
    <FactItem
      name="Environment"
      menu={{
        name: 'Environment',
        text: environment,
        term: termOf('environment', environment),
      }}
    >
      <span className="text-text">{environment}</span>
      {mode !== null && <> · {mode}</>}
    </FactItem>
  )
}

function RequestItem({ delivery }: { readonly delivery: Delivery }) {
  const sender = senderOf(delivery)
  return (
    <FactItem name="Request" menu={rowValue(delivery, 'path')}>
      <span className="data text-text">
        {delivery.method ?? '—'} <ExactText text={delivery.path ?? ''} />
      </span>
      {delivery.method !== null && <> HTTP/{delivery.httpVersion}</>}
      {sender !== null && (
        <>
          {' '}
          from <span className="data">{sender}</span>
        </>
      )}
    </FactItem>
  )
}

function NoteItem({ delivery }: { readonly delivery: Delivery }) {
  const editNote = useApp((state) => state.marks.editNote)
  return (
    <FactItem name="Note">
      {delivery.note !== null && (
        <span className="text-text">
          <ExactLines text={delivery.note} />{' '}
        </span>
      )}
      <LinkButton onClick={() => editNote([delivery])}>
        {delivery.note === null ? 'Add note' : 'Edit note'}
      </LinkButton>
    </FactItem>
  )
}

function SizeNote({
  delivery: { truncated, bodyLost, bodyAltered },
}: {
  readonly delivery: Delivery
}) {
  const note = bodyLost
    ? 'Body lost: its database page was damaged.'
    : bodyAltered
      ? ALTERED_BODY
      : truncated
        ? 'Over the size limit: only the start was kept.'
        : null
  return note === null ? null : <span className="text-warn">. {note}</span>
}

function PurchaseItem({ delivery }: { readonly delivery: Delivery }) {
  const setTab = useApp((state) => state.detail.setTab)
  const { output: lifecycle } = useRead('lifecycle.get', { deliveryId: delivery.id })
  if (lifecycle === undefined || lifecycle.kind === 'none') return null
  return (
    <FactItem name={subjectWord(lifecycle)}>
      <span className="text-text">{stageWords(lifecycle)}</span>{' '}
      {lifecycle.missing[0] !== undefined && (
        <ExactText text={`${lifecycle.missing[0].message} `} />
      )}
      <LinkButton onClick={() => setTab('history')}>Show history</LinkButton>
    </FactItem>
  )
}

/** Returns the stages in words: `Auth only.`, `Auth, clearing and refund.` */
function stageWords({ stages }: Lifecycle): string {
  const names = [...new Set(stages.map(({ name }) => name))].map((name, index) =>
    index === 0 ? name : uncapitalized(name),
  )
  if (names.length === 1) return `${names[0]} only.`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`
}

/** Links to the run and step of the flow that caused the delivery. */
function FlowItem({
  flowRun: { flow, run, step },
}: {
  readonly flowRun: NonNullable<DeliveryRow['flowRun']>
}) {
  return (
    <FactItem name="Flow">
      <a
        href={printAddress('flows', { flow, run, step: step ?? undefined })}
        className="-my-1 inline-block py-1 font-medium text-accent hover:underline"
      >
        <ExactText text={flow} />
      </a>
      {step !== null && (
        <>
          , step <ExactText text={step} />
        </>
      )}
    </FactItem>
  )
}

/** Links to the delivery that a replay or forward repeats. */
function ReplayOf({ id }: { readonly id: string }) {
  const go = useApp((state) => state.navigation.go)
  return (
    <FactItem name="Replay of">
      <span className="data text-text">{shortIdOf(id)}</span> sent by Countersign: a replay, or a
      forwarded delivery.{' '}
      <LinkButton onClick={() => go('deliveries', { id })}>Open original</LinkButton>
    </FactItem>
  )
}
