/** Notices about replays: the end of those started here, and interrupted ones. */
import { outcomeOfReplay, outcomeOfSend } from '../../../shared/model/send-outcomes.ts'
import type { ListedSend, Replay } from '../../../shared/model/send.ts'
import { noticeTone } from '../../core-data/act.ts'
import { resultsText, endTitle } from './replay-words.ts'
import type { ReplayTools } from './replay-state.ts'

/** Returns the endpoint of a request, with its name if it is saved. */
function endpointWords({ handler, target }: Pick<ListedSend, 'handler' | 'target'>): string {
  return handler === null ? target : `@${handler}, ${target}`
}

export function replayAnnouncements(
  { client, notify, app, get }: ReplayTools,
  show: (replayId: string | null) => void,
) {
  /** Ids of replays started in this window whose end isn't announced yet. */
  const unannounced = new Set<string>()
  let isOffered = false
  let removeOffer = () => undefined as void

  /** Announces the end of a replay, unless it is in view. */
  const announceEnd = async (replay: Replay) => {
    const { overlay, about } = app().navigation
    if (overlay === 'replays' && about === replay.id) return
    const isInComposer = overlay === 'replay-composer'
    if (replay.total !== 1) {
      if (isInComposer && get().sentWords.has(replay.id)) return
      notify({
        tone: noticeTone(outcomeOfReplay(replay)),
        title: endTitle(replay),
        message: replay.problem ?? resultsText(replay),
        action: { label: 'Show', run: () => show(replay.id) },
      })
      return
    }
    const { sends } = await client.call('replay.sends', { replayId: replay.id })
    const [send] = sends
    const { id, tab } = app().navigation.at.deliveries
    const inView = isInComposer || (tab === 'history' && id === send?.deliveryId)
    if (send === undefined || inView) return
    const endpoint = endpointWords(send)
    notify({
      tone: noticeTone(outcomeOfSend(send)),
      title: endTitle(replay, send),
      message: send.error === null ? `to ${endpoint}` : `to ${endpoint}: ${send.error}`,
      action: {
        label: 'Show',
        run: () => app().navigation.go('deliveries', { id: send.deliveryId, tab: 'history' }),
      },
    })
  }

  /** Announces once the replays that were interrupted when Countersign stopped. */
  const offerInterrupted = (replays: readonly Replay[]) => {
    const interrupted = replays.filter(({ state }) => state === 'interrupted')
    if (isOffered || interrupted.length === 0) return
    isOffered = true
    const [first] = interrupted
    const isOne = interrupted.length === 1
    removeOffer = notify({
      tone: 'warn',
      title: isOne ? 'A replay was interrupted' : `${interrupted.length} replays were interrupted`,
      message: isOne
        ? 'Countersign stopped before it finished. You can resume it.'
        : 'Countersign stopped before they finished. You can resume them.',
      action: { label: 'Show', run: () => show(first?.id ?? null) },
      shownForMs: 15_000,
    })
  }

  return {
    removeOffer: () => removeOffer(),
    /** Announces the end of a replay later. */
    announceLater(replayId: string) {
      unannounced.add(replayId)
    },
    announceChanges() {
      const replays = app().core.replays ?? []
      offerInterrupted(replays)
      for (const replay of replays)
        // The notice of a failure would fail too without a connection.
        if (replay.state !== 'running' && unannounced.delete(replay.id))
          void announceEnd(replay).catch(() => undefined)
    },
  }
}
