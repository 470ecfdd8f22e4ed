/**
 * Forwarding to a handler: a switch with its settings, the problem and the queue, and the latest
 * requests.
 */
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { type ForwardAnswer, type ForwardTarget } from '../../../shared/model/forward.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { outcomeOfForwarded, forwardOutcomes } from '../../../shared/model/send-outcomes.ts'
import type { ListedSend } from '../../../shared/model/send.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { ago, clockTime, exactTime, milliseconds, useNow } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { EmptySection, HeadingLink, PageSection, rowStyle } from './handler-parts.tsx'

export const forwardResponses: Readonly<
  Record<ForwardAnswer, { readonly label: string; readonly hint: string }>
> = {
  rule: {
    label: "Respond immediately (hook's setting)",
    hint: "The service gets the hook's response. The handler receives the delivery afterwards.",
  },
  handler: {
    label: "Handler's response",
    hint: "The service waits for your handler: 504 after 19 s, 502 if it's unreachable. The service then retries automatically.",
  },
  'at-once': {
    label: 'Respond 200 immediately (for debugging)',
    hint: 'Your handler can take any time. Its response is ignored.',
  },
}

/** Shows the forwarding of a saved handler; empty until it is switched on for the first time. */
export function Forwarding({ handler }: { readonly handler: SavedHandler }) {
  const { output, problem, readAgain } = useRead('forward.list', {})
  const isForwardScreen = useApp((state) => state.navigation.screen === 'forward')
  const part = useRef<HTMLElement>(null)
  const isRead = output !== undefined
  useEffect(() => {
    if (isForwardScreen && isRead) part.current?.scrollIntoView({ block: 'nearest' })
  }, [isForwardScreen, isRead])
  if (output === undefined)
    return (
      problem !== null && (
        <div className="border-t border-line px-8 py-6">
          <LoadProblem
            isPart
            title="Couldn't load forwarding"
            problem={problem}
            onAgain={readAgain}
          />
        </div>
      )
    )
  const targets = output.targets.filter(({ handlerId }) => handlerId === handler.id)
  return targets.map((target, index) => (
    <Target
      key={target.id}
      target={target}
      {...(index === 0 ? { part } : { control: <Switch target={target} /> })}
    />
  ))
}

/** Shows the switch that forwards new deliveries to a saved handler. */
export function ForwardSwitch({ handler }: { readonly handler: SavedHandler }) {
  const { output } = useRead('forward.list', {})
  if (output === undefined) return null
  const target = output.targets.find(({ handlerId }) => handlerId === handler.id)
  return <Switch target={target ?? { url: handlerRef(handler) }} />
}

/** Shows a target without a saved handler, which a `forward` command created. */
export function TargetPage({ target }: { readonly target: ForwardTarget }) {
  return (
    <DetailPane label="Target" pane="handler">
      <header className="window-drag flex min-h-12 shrink-0 items-center border-b border-line px-5">
        <h2 className="data min-w-0 truncate text-title" title={visibleText(target.url)}>
          {visibleText(target.url)}
        </h2>
        <span className="flex-1" />
        <Switch target={target} />
      </header>
      <DetailScroll label="Target details" padded={false}>
        <Target target={target} />
      </DetailScroll>
    </DetailPane>
  )
}

/** Switches a target on and off; one that isn't saved yet is added. */
function Switch({ target }: { readonly target: ForwardTarget | { readonly url: string } }) {
  const { act, client } = useData()
  const [busy, setBusy] = useState(false)
  const on = 'id' in target && target.on
  const change = () =>
    act(
      on ? "Couldn't stop forwarding" : "Couldn't start forwarding",
      () =>
        'id' in target
          ? client.call('forward.update', { id: target.id, on: !on })
          : client.call('forward.add', { url: target.url }),
      { busy: setBusy },
    )
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      disabled={busy}
      onClick={() => void change()}
      className="flex min-h-7 shrink-0 items-center gap-2 text-small text-muted"
    >
      <span>
        Forward<span className="@max-[1100px]:sr-only"> new deliveries</span>
      </span>
      <span
        className={`flex h-5 w-9 items-center rounded-full border px-0.5 ${on ? 'justify-end border-accent-solid bg-accent-solid' : 'border-edge bg-control'}`}
      >
        <span
          className={`size-3.5 rounded-full ${on ? 'bg-on-accent' : 'bg-muted'} forced-colors:bg-[ButtonText]`}
        />
      </span>
    </button>
  )
}

const SENDS_SHOWN = 12

function Target({
  target,
  part,
  control,
}: {
  readonly target: ForwardTarget
  readonly part?: RefObject<HTMLElement | null>
  /** Switch, unless it is in the title of the page. */
  readonly control?: ReactNode
}) {
  const { act, client } = useData()
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const sends = useRead('forward.sends', { id: target.id, limit: SENDS_SHOWN })
  const { id, on, paused, light } = target
  return (
    <PageSection
      ref={part}
      name="Forwarding"
      note={on ? <Settings target={target} /> : 'Off. New deliveries are not forwarded.'}
      action={
        <>
          {control}
          {on && <OutcomeMark outcome={forwardOutcomes[light]} />}
          {on && (
            <Button
              kind="quiet"
              onClick={() =>
                void act(paused ? "Couldn't resume forwarding" : "Couldn't pause forwarding", () =>
                  client.call(paused ? 'forward.resume' : 'forward.pause', { id }),
                )
              }
            >
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <HeadingLink onClick={() => openOverlay('forward-target', id)}>
            Edit forwarding
          </HeadingLink>
          <HeadingLink onClick={() => openOverlay('remove-target', id)}>Remove</HeadingLink>
        </>
      }
    >
      <Queue target={target} />
      {sends.problem !== null && (
        <div className="border-t border-line/50 px-5 py-3">
          <LoadProblem
            isPart
            title="Couldn't load forwarded deliveries"
            problem={sends.problem}
            onAgain={sends.readAgain}
          />
        </div>
      )}
      {sends.output?.sends.length === 0 && on && (
        <EmptySection>None yet. The next matching delivery is forwarded.</EmptySection>
      )}
      {sends.output?.sends.map((send) => (
        <Forwarded key={send.id} send={send} />
      ))}
    </PageSection>
  )
}

function Settings({ target }: { readonly target: ForwardTarget }) {
  const { query, answer, sign, temporary } = target
  const others = [
    ...(answer === 'rule' ? [] : [forwardResponses[answer].label]),
    ...(sign === 'as-received' ? ['signed as received'] : []),
    ...(temporary ? ['until its command ends'] : []),
  ]
  return (
    <span title={visibleText(query)}>
      On. Sends every {query.trim() === '' ? 'delivery' : 'delivery that matches '}
      <span className="data text-text">{visibleText(query.trim())}</span>
      {others.map((words) => ` · ${words}`)}
    </span>
  )
}

/** Returns `3 pending, oldest received 2 min ago`; empty if nothing is pending. */
function queueWords({ queue: { waiting, underWay, oldestAt } }: ForwardTarget, now: number) {
  const received =
    oldestAt === null ? '' : `, ${waiting === 1 ? '' : 'oldest '}received ${ago(oldestAt, now)}`
  return [
    ...(waiting > 0 ? [`${waiting} pending${received}`] : []),
    ...(underWay > 0 ? [`${underWay} in progress`] : []),
  ]
}

/** Shows the problem and the pending deliveries, with buttons to send or discard them. */
function Queue({ target }: { readonly target: ForwardTarget }) {
  const { act, client } = useData()
  const now = useNow(1_000)
  const { id, light, problem, nextTryAt, queue, withheld } = target
  const isTrouble = light === 'down' || light === 'failing'
  const seconds =
    nextTryAt === null ? null : Math.max(0, Math.ceil((Date.parse(nextTryAt) - now) / 1_000))
  const waiting = [
    ...queueWords(target, now),
    ...(seconds === null ? [] : [seconds === 0 ? 'retrying now' : `retrying in ${seconds} s`]),
  ]
  if (waiting.length === 0 && !isTrouble && withheld === 0) return null
  return (
    <div
      role="note"
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line/50 px-5 py-2 ${light === 'down' ? 'bg-bad-wash' : isTrouble || withheld > 0 ? 'bg-warn-wash' : ''}`}
    >
      <div className="min-w-0 flex-1 basis-72">
        {isTrouble && problem !== null && (
          <p className="wrap-anywhere">
            <ExactText text={problem} />
          </p>
        )}
        {waiting.length > 0 && <p className="text-muted">{waiting.join(' · ')}</p>}
        {withheld > 0 && (
          <p className="text-muted">
            {withheld === 1 ? '1 live delivery' : `${withheld} live deliveries`} held back: their
            live environment isn't allowed. Turn forwarding off and on to change that.
          </p>
        )}
      </div>
      {queue.waiting > 0 && (
        <span className="flex items-center gap-1">
          <Button
            onClick={() =>
              void act("Couldn't send the pending deliveries", () =>
                client.call('forward.deliver', { id }),
              )
            }
          >
            Send now
          </Button>
          <Button
            onClick={() =>
              void act(
                "Couldn't discard the pending deliveries",
                () => client.call('forward.drop', { id }),
                {
                  done: ({ dropped }) => ({
                    tone: 'ok',
                    title:
                      dropped === 1
                        ? '1 pending delivery discarded'
                        : `${dropped} pending deliveries discarded`,
                    message: 'They stay stored, so you can still replay them.',
                  }),
                },
              )
            }
          >
            Discard {queue.waiting.toLocaleString('en')}
          </Button>
        </span>
      )}
    </div>
  )
}

/** Shows a delivery that was or will be forwarded, with its result and error. */
function Forwarded({ send }: { readonly send: ListedSend }) {
  const go = useApp((state) => state.navigation.go)
  const { event, receivedAt, startedAt, state, ms, error, tries } = send
  const shown = outcomeOfForwarded(send)
  const waited =
    state === 'waiting' && tries > 0 ? `, after ${tries} ${tries === 1 ? 'try' : 'tries'}` : ''
  const sent = startedAt === null ? '' : `, sent ${exactTime(startedAt)}`
  return (
    <button
      type="button"
      onClick={() => go('deliveries', { id: send.deliveryId, tab: 'history' })}
      className={`${rowStyle} hover:bg-raised`}
      title={`Show in delivery, received ${exactTime(receivedAt)}${sent}`}
    >
      <span className="data w-[88px] shrink-0 text-muted">{clockTime(receivedAt)}</span>
      <span
        className={`data w-[184px] shrink-0 truncate @max-[520px]:w-32 ${event === null ? 'text-subtle' : ''}`}
      >
        {event === null ? 'unknown event' : visibleText(event)}
      </span>
      <span className="shrink-0">
        <OutcomeMark outcome={{ ...shown, word: `${shown.word}${waited}` }} />
      </span>
      <span className="min-w-0 flex-1 truncate text-small text-muted">
        {error !== null && state !== 'cancelled' && visibleText(error)}
      </span>
      <span className="data text-muted @max-[400px]:hidden">
        {ms === null || state !== 'settled' ? '' : `${milliseconds(ms)} ms`}
      </span>
    </button>
  )
}
