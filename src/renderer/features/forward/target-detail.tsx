/** Details of the selected target: status, pending deliveries, settings and recent requests. */
import { CirclePause, CirclePlay, Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import { useData, useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { clockTime, exactTime, milliseconds } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { answers, LightMark, queueWords } from './target-words.tsx'
import { lookOfForwarded } from '../../../shared/model/outcomes.ts'
import type { ListedSend, Send } from '../../../shared/model/send.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'

export function TargetDetail({ target }: { readonly target: ForwardTarget }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const { act, client } = useData()
  const { id, name, light, paused, on } = target
  return (
    <DetailPane label="Target" pane="target">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-60 items-center gap-3">
          <LightMark light={light} large />
          <span className="min-w-0 truncate text-title" title={visibleText(name)}>
            <ExactText text={name} />
          </span>
        </h2>
        <span className="flex items-center gap-1">
          {on && (
            <Button
              icon={
                paused ? (
                  <CirclePlay size={13} aria-hidden />
                ) : (
                  <CirclePause size={13} aria-hidden />
                )
              }
              onClick={() =>
                void act(paused ? "Couldn't resume the target" : "Couldn't pause the target", () =>
                  client.call(paused ? 'forward.resume' : 'forward.pause', { id }),
                )
              }
            >
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <Button
            icon={<Pencil size={13} aria-hidden />}
            onClick={() => openOverlay('forward-target', id)}
          >
            Edit…
          </Button>
          <Button
            icon={<Trash2 size={13} aria-hidden />}
            onClick={() => openOverlay('remove-target', id)}
          >
            Remove…
          </Button>
        </span>
      </header>
      <div
        key={id}
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Target details"
      >
        <Trouble target={target} />
        <div className="px-5 pt-2 pb-8">
          <TargetFacts target={target} />
          <section className="mt-6">
            <h3 className="mb-1.5 font-medium">Recent requests</h3>
            <LastSends target={target} />
          </section>
        </div>
      </div>
    </DetailPane>
  )
}

/** The target's problem and pending deliveries, with buttons to send or discard them. */
function Trouble({ target }: { readonly target: ForwardTarget }) {
  const { act, client } = useData()
  const now = useNow(1_000)
  const { id, light, problem, nextTryAt, queue, withheld, liveEnvironments } = target
  const waiting = queueWords(target, now)
  const isTrouble = light === 'down' || light === 'failing'
  const seconds =
    nextTryAt === null ? null : Math.max(0, Math.ceil((Date.parse(nextTryAt) - now) / 1_000))
  if (waiting === '' && !isTrouble && withheld === 0) return null
  return (
    <div
      role="note"
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-5 py-2.5 ${light === 'down' ? 'bg-bad-wash' : isTrouble || withheld > 0 ? 'bg-warn-wash' : ''}`}
    >
      <div className="min-w-0 flex-1 basis-72">
        {isTrouble && problem !== null && (
          <p className="wrap-anywhere">
            <ExactText text={problem} />
          </p>
        )}
        {(waiting !== '' || seconds !== null) && (
          <p className="text-muted">
            {[
              waiting,
              ...(seconds === null
                ? []
                : [seconds === 0 ? 'retrying now' : `retrying in ${seconds} s`]),
            ]
              .filter((part) => part !== '')
              .join(' · ')}
          </p>
        )}
        {withheld > 0 && (
          <p className="text-muted">
            {withheld === 1 ? '1 live delivery' : `${withheld} live deliveries`} held back:
            {liveEnvironments.length === 0
              ? " live environments aren't allowed."
              : ` only ${liveEnvironments.join(', ')} is allowed.`}{' '}
            Edit the target to change that.
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

function TargetFacts({ target }: { readonly target: ForwardTarget }) {
  const {
    url,
    query,
    answer,
    sign,
    registeredUrl,
    allowHosts,
    liveEnvironments,
    targetCa,
    temporary,
    passed,
    failed,
  } = target
  return (
    <Facts>
      <Fact name="Forward to">
        <Data text={url} />
      </Fact>
      <Fact name="Filter">
        {query.trim() === '' ? <Quiet>All deliveries</Quiet> : <Data text={query} />}
      </Fact>
      <Fact name="Response" note={answers[answer].hint}>
        {answers[answer].label}
      </Fact>
      <Fact
        name="Signature"
        note={sign === 'now' ? 'Invalid or stale deliveries are forwarded unchanged' : undefined}
      >
        {sign === 'as-received'
          ? 'As received'
          : registeredUrl === null
            ? "Re-signed over each hook's registered URL"
            : 'Re-signed over a custom URL'}
        {sign === 'now' && registeredUrl !== null && (
          <span className="block">
            <Data text={registeredUrl} />
          </span>
        )}
      </Fact>
      {targetCa !== null && <Fact name="Certificate">Must verify with your CA certificate</Fact>}
      {allowHosts.length > 0 && (
        <Fact name="Allowed hosts">
          <Data text={allowHosts.join(', ')} />
        </Fact>
      )}
      {liveEnvironments.length > 0 && (
        <Fact name="Allowed live">
          <span className="text-warn">{liveEnvironments.map(visibleText).join(', ')}</span>
        </Fact>
      )}
      {temporary && <Fact name="Lifetime">Until the command that added it ends</Fact>}
      <Fact name="This session">
        <span className="data">{passed.toLocaleString('en')}</span> acknowledged,{' '}
        <span className="data">{failed.toLocaleString('en')}</span> not
      </Fact>
      <Fact name="Added">
        <span className="data text-muted">{exactTime(target.createdAt)}</span>
      </Fact>
    </Facts>
  )
}

const SENDS_SHOWN = 30

function LastSends({ target }: { readonly target: ForwardTarget }) {
  const { output, problem, readAgain } = useRead('forward.sends', {
    id: target.id,
    limit: SENDS_SHOWN,
  })
  if (problem !== null)
    return <NotRead title="Couldn't load recent requests" problem={problem} onAgain={readAgain} />
  if (output === undefined)
    return (
      <LoadingRows
        label="Loading recent requests"
        count={3}
        columns={['w-16', 'w-24', 'flex-1']}
        className=""
      />
    )
  return output.sends.length > 0 ? (
    <TargetSends sends={output.sends} />
  ) : (
    <p className="text-muted">None yet. The next matching delivery is forwarded.</p>
  )
}

function Data({ text }: { readonly text: string }) {
  return (
    <span className="data">
      <ExactText text={text} />
    </span>
  )
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="text-muted">{children}</span>
}

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

function TargetSends({ sends }: { readonly sends: readonly ListedSend[] }) {
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
  const go = useApp((state) => state.navigation.go)
  const { event, receivedAt, startedAt, state, ms, error } = send
  const sent = startedAt === null ? '' : `, sent ${exactTime(startedAt)}`
  return (
    <button
      type="button"
      onClick={() => go('deliveries', { id: send.deliveryId, tab: 'replays' })}
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
