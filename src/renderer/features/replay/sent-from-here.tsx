/** The composer's sends, and the response to the last or a chosen one. */
import { useState } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { outcomeOfSend } from '../../../shared/model/send-outcomes.ts'
import type { Send } from '../../../shared/model/send.ts'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { clockTime, milliseconds, timeWithDay } from '../../ui/moment.ts'
import { OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'
import { ComposedReplay } from './composed-replay.tsx'
import { SendResponse } from './send-response.tsx'
import type { ComposerState } from './use-composer.ts'

/** Most sends of the delivery that are read; only those from here are listed. */
const MAX_SENDS = 200

export function SentFromHere({
  composer: { sentReplay, setWantsAuthority },
  delivery,
  onLeave,
}: {
  readonly composer: ComposerState
  readonly delivery: Delivery
  readonly onLeave: () => void
}) {
  const { sentWords, replay, go } = useAppParts((state) => ({
    sentWords: state.replay.sentWords,
    replay: state.core.replays?.find(({ id }) => id === sentReplay),
    go: state.navigation.go,
  }))
  const { output } = useRead('replay.ofDelivery', { id: delivery.id, limit: MAX_SENDS })
  const sends = (output?.sends ?? [])
    .filter(({ kind, startedAt }) => kind === 'replay' && startedAt !== null)
    .toSorted((one, other) => (other.startedAt ?? '').localeCompare(one.startedAt ?? ''))
  const fromHere = sends.filter(({ replayId }) => sentWords.has(replayId))
  const newest = fromHere[0] ?? sends[0]
  const [chosen, setChosen] = useState<{ readonly id: string; readonly since: string } | null>(null)
  // A new send takes the place of the chosen one.
  const selected =
    (chosen?.since === newest?.id && fromHere.find(({ id }) => id === chosen?.id)) || newest
  return (
    <>
      {replay !== undefined && replay.total !== 1 && (
        <div className="border-b border-line px-5">
          <ComposedReplay replayId={replay.id} />
        </div>
      )}
      {selected === undefined ? (
        <p className="px-5 py-3 text-muted">
          Send to see the response here.
          {delivery.origin === 'received' &&
            delivery.answer.status !== null &&
            ` On receipt, Countersign returned ${delivery.answer.status}.`}
        </p>
      ) : (
        <SendResponse
          key={selected.id}
          send={selected}
          sends={sends}
          hookId={delivery.hookId}
          isEarlier={fromHere.length === 0}
          onAuthority={() => setWantsAuthority(true)}
        />
      )}
      {newest !== undefined && fromHere.length > 0 && (
        <section aria-label="Sent from here" className="py-2">
          <div className="flex h-7 items-center gap-2 px-5">
            <h3 className="font-medium">Sent from here</h3>
            <span className="text-small text-subtle">{counted(fromHere.length, 'time')}</span>
            <Button
              kind="quiet"
              className="-mr-2 ml-auto h-6 px-2 text-small text-accent!"
              onClick={() => {
                onLeave()
                go('deliveries', { id: delivery.id, tab: 'history' })
              }}
            >
              Show in History
            </Button>
          </div>
          {fromHere.map((send) => (
            <SendRow
              key={send.id}
              send={send}
              words={sentWords.get(send.replayId) ?? ''}
              isSelected={send === selected}
              onSelect={() => setChosen({ id: send.id, since: newest.id })}
            />
          ))}
        </section>
      )}
    </>
  )
}

function SendRow({
  send,
  words,
  isSelected,
  onSelect,
}: {
  readonly send: Send
  readonly words: string
  readonly isSelected: boolean
  readonly onSelect: () => void
}) {
  const outcome = outcomeOfSend(send)
  const at = send.startedAt ?? ''
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      title={timeWithDay(at)}
      onClick={onSelect}
      className={`flex h-7 w-full items-center gap-3 px-5 text-left outline-offset-[-2px] ${isSelected ? 'bg-selected shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-raised'}`}
    >
      <span className="data shrink-0 text-muted">{clockTime(at)}</span>
      <span
        className={`data flex w-13 shrink-0 items-center gap-1 font-medium ${toneText[outcome.tone]}`}
      >
        <OutcomeIcon outcome={outcome} />
        {send.status ?? '–'}
      </span>
      <span className="data w-14 shrink-0 text-right whitespace-nowrap text-muted @max-[400px]:hidden">
        {send.status === null || send.ms === null ? '' : `${milliseconds(send.ms)} ms`}
      </span>
      <span className="min-w-0 flex-1 truncate text-small text-muted">
        {words}{' '}
        {send.expected !== 'acknowledged' && (
          <span className={toneText[outcome.tone]}>
            {outcome.word}
            {outcome.tone === 'good' && ', as expected'}
          </span>
        )}
      </span>
    </button>
  )
}
