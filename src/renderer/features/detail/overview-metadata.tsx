/** The Overview's metadata: where the delivery came from, what it belongs to, and what to compare it with. */
import {
  ALTERED_BODY,
  senderOf,
  type Delivery,
  type DeliveryRow,
} from '../../../shared/model/delivery.ts'
import { type ReactNode } from 'react'
import { subjectWord, type Lifecycle } from '../../../shared/model/lifecycle.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { termOf } from '../../../shared/query/terms.ts'
import { rowValue } from '../../state/delivery-actions.ts'
import { menuValue, type MenuValue } from '../../state/menu-slice.ts'
import { printAddress } from '../../state/routes.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import { duration, exactTime } from '../../ui/moment.ts'
import type { Shown } from './detail-slice.ts'
import { eventSentence, originSentence } from './sentences.ts'
import { LinkButton } from './overview-facts.tsx'

export function Metadata({ shown: { delivery, signature } }: { readonly shown: Shown }) {
  const { hook, editNote } = useAppParts((state) => ({
    hook: state.core.hooks.find((one) => one.id === delivery.hookId),
    editNote: state.marks.editNote,
  }))
  const event = eventSentence(delivery)
  const origin = originSentence(delivery)
  const sender = senderOf(delivery)
  const isRead = delivery.malformed === null
  return (
    <dl
      aria-label="Metadata"
      className="grid grid-cols-[104px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 px-5 py-4 text-small text-muted @max-[560px]:px-4 @max-[480px]:grid-cols-[80px_minmax(0,1fr)]"
    >
      {origin !== null && <Item name="Origin">{origin}</Item>}
      {isRead && (
        <Item
          name="Hook"
          menu={
            hook === undefined
              ? null
              : { name: 'Hook', text: hook.url, term: termOf('hook', hook.id) }
          }
        >
          {hook === undefined ? (
            'None matched'
          ) : (
            <Copied text={hook.url} label="Copy hook URL">
              <ExactText text={hook.url} />
              {signature?.hookInferred === true && ` (probably the ${hook.event} hook)`}
            </Copied>
          )}
        </Item>
      )}
      {delivery.environment !== null && (
        <Item
          name="Environment"
          menu={{
            name: 'Environment',
            text: delivery.environment,
            term: termOf('environment', delivery.environment),
          }}
        >
          <span className="text-text">{delivery.environment}</span>
          {delivery.mode !== null && <> · {delivery.mode}</>}
        </Item>
      )}
      {isRead && (
        <>
          <Item name="Event" menu={rowValue(delivery, 'event')}>
            <span className="data text-text">
              <ExactText text={event.text} />
            </span>{' '}
            {event.note}
          </Item>
          <PurchaseItem delivery={delivery} />
          <ComparisonItems delivery={delivery} />
        </>
      )}
      {delivery.replayOf !== null && <ReplayOf id={delivery.replayOf} />}
      {delivery.flowRun !== null && <FlowItem flowRun={delivery.flowRun} />}
      <Item name="Request" menu={rowValue(delivery, 'path')}>
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
      </Item>
      <Item name="Received" menu={rowValue(delivery, 'time')}>
        <span className="data text-text">{exactTime(delivery.receivedAt)}</span>
      </Item>
      {delivery.judgedAt !== null && (
        <Item name="Judged again">
          <span className="data text-text">{exactTime(delivery.judgedAt)}</span>
        </Item>
      )}
      <Item name="Size" menu={rowValue(delivery, 'size')}>
        <span className="data text-text">{delivery.bodySize.toLocaleString('en')}</span>{' '}
        {delivery.bodySize === 1 ? 'byte' : 'bytes'}, {delivery.headers.length}{' '}
        {delivery.headers.length === 1 ? 'header' : 'headers'}
        <SizeNote delivery={delivery} />
      </Item>
      <Item
        name="SHA-256"
        menu={{
          name: 'SHA-256',
          text: delivery.bodySha256,
          term: termOf('sha256', delivery.bodySha256),
        }}
      >
        <Copied text={delivery.bodySha256} label="Copy SHA-256">
          <Middle text={delivery.bodySha256} tail={12} />
        </Copied>
      </Item>
      <Item name="ID" menu={{ name: 'ID', text: delivery.id, term: termOf('id', delivery.id) }}>
        <Copied text={delivery.id} label="Copy whole ID">
          {delivery.id}
        </Copied>
      </Item>
      <Item name="Note">
        {delivery.note !== null && (
          <span className="text-text">
            <ExactLines text={delivery.note} />{' '}
          </span>
        )}
        <LinkButton
          label={delivery.note === null ? 'Add note' : 'Edit note'}
          onClick={() => editNote([delivery])}
        >
          {delivery.note === null ? 'Add note' : 'Edit note'}
        </LinkButton>
      </Item>
    </dl>
  )
}

function Item({
  name,
  menu = null,
  children,
}: {
  readonly name: string
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}) {
  return (
    <>
      <dt className="text-subtle">{name}</dt>
      <dd {...(menu === null ? {} : menuValue(menu))} className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </>
  )
}

function Copied({
  text,
  label,
  children,
}: {
  readonly text: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span className="data min-w-0 wrap-anywhere text-text">{children}</span>
      <CopyButton text={text} label={label} className="-my-1.5" />
    </span>
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

/** How far the purchase has come, with a link to its lifecycle. */
function PurchaseItem({ delivery }: { readonly delivery: Delivery }) {
  const setTab = useApp((state) => state.detail.setTab)
  const { output: lifecycle } = useRead('lifecycle.get', { deliveryId: delivery.id })
  if (lifecycle === undefined || lifecycle.kind === 'none') return null
  return (
    <Item name={subjectWord(lifecycle)}>
      <span className="text-text">{stageWords(lifecycle)}</span>{' '}
      {lifecycle.missing[0] !== undefined && (
        <ExactText text={`${lifecycle.missing[0].message} `} />
      )}
      <LinkButton label="Show lifecycle" onClick={() => setTab('lifecycle')}>
        Show lifecycle
      </LinkButton>
    </Item>
  )
}

/** `Auth only.`, `Auth, clearing and refund.` */
function stageWords({ stages }: Lifecycle): string {
  const names = [...new Set(stages.map(({ name }) => name))].map((name, index) =>
    index === 0 ? name : name.charAt(0).toLowerCase() + name.slice(1),
  )
  if (names.length === 1) return `${names[0]} only.`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`
}

/** The flow that caused the delivery: links to its run, at this step. */
function FlowItem({
  flowRun: { flow, run, step },
}: {
  readonly flowRun: NonNullable<DeliveryRow['flowRun']>
}) {
  return (
    <Item name="Flow">
      <a
        href={printAddress('flows', { flow, run, step: step ?? undefined })}
        className="font-medium text-accent hover:underline"
      >
        <ExactText text={flow} />
      </a>
      {step !== null && (
        <>
          , step <ExactText text={step} />
        </>
      )}
    </Item>
  )
}

/** A request sent by the app itself: links to the delivery it repeats. */
function ReplayOf({ id }: { readonly id: string }) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  return (
    <Item name="Replay of">
      <span className="data text-text">{shortIdOf(id)}</span> sent by Countersign: a replay, or a
      forwarded delivery.{' '}
      <LinkButton label="Open original" onClick={() => void goToDelivery(id)}>
        Open original
      </LinkButton>
    </Item>
  )
}

/** Earlier deliveries worth comparing with, most likely first. */
function ComparisonItems({
  delivery: { id: deliveryId, seq, receivedAt },
}: {
  readonly delivery: Delivery
}) {
  const { compare, goTo } = useAppParts((state) => ({
    compare: state.compare.start,
    goTo: state.detail.goTo,
  }))
  const { output, problem, readAgain } = useRead('compare.offers', { deliveryId })
  if (problem !== null)
    return (
      <Item name="Compare with">
        {problem}{' '}
        <LinkButton label="Try again" onClick={readAgain}>
          Try again
        </LinkButton>
      </Item>
    )
  if (output === undefined)
    return (
      <Item name="Compare with">
        <span className="late text-subtle">Loading…</span>
      </Item>
    )
  if (output.offers.length === 0)
    return <Item name="Compare with">Nothing earlier to compare with.</Item>
  return (
    <Item name="Compare with">
      <ul className="flex flex-col gap-1">
        {output.offers.map(({ name, delivery: other }) => (
          <li key={other.id} className="wrap-anywhere">
            <button
              type="button"
              title={`Open ${other.id}`}
              className="data rounded-small text-text hover:underline"
              onClick={() => void goTo(other.id)}
            >
              {shortIdOf(other.id)}
            </button>{' '}
            {name}, {gapWords(Date.parse(receivedAt) - Date.parse(other.receivedAt))}.{' '}
            <LinkButton
              label={`Compare with ${name}`}
              onClick={() => {
                // The earlier delivery is on the left.
                const [left, right] =
                  other.seq < seq ? [other.id, deliveryId] : [deliveryId, other.id]
                void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
              }}
            >
              Compare
            </LinkButton>
          </li>
        ))}
      </ul>
    </Item>
  )
}

function gapWords(ms: number): string {
  return `${duration(ms)} ${ms < 0 ? 'later' : 'earlier'}`
}
