/** Replays: the composer's drafts, replays, and notices about their end. */
import { readDraft, writeDraft } from '../../ui-state/tab-drafts.ts'
import { copyText } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import type { Draft } from './draft.ts'
import { CURL_HINT, curlOf } from './draft-commands.ts'
import { replayAnnouncements } from './replay-announcements.ts'
import { replayActions } from './replay-actions.ts'
import { currentHandler, lastTarget } from './replay-parts.ts'
import {
  storedDraftsSchema,
  type ReplayState,
  type ReplaySource,
  type ReplayTools,
} from './replay-state.ts'

export function createReplaySlice(tools: ReplayTools) {
  const { client, act, set, get, app, subscribe } = tools
  /** Shows a replay, by default the newest one. */
  const show = (replayId: string | null) => {
    announcements.removeOffer()
    app().navigation.openOverlay('replays', replayId ?? app().core.replays?.[0]?.id)
  }
  const announcements = replayAnnouncements(tools, show)
  subscribe(({ core }, before) => {
    if (core.replays !== before.core.replays) announcements.announceChanges()
  })
  const initialState: ReplayState = {
    drafts: new Map(readDraft('composer', storedDraftsSchema)),
    sentWords: new Map(),
    source: null,
    compared: null,
  }
  return {
    ...initialState,
    ...replayActions(tools, announcements, show),
    show,
    /** Keeps a changed draft; null discards it. */
    keepDraft(subject: string, draft: Draft | null) {
      const drafts = new Map(get().drafts)
      if (draft === null && !drafts.has(subject)) return
      if (draft === null) drafts.delete(subject)
      else drafts.set(subject, draft)
      set({ drafts })
      writeDraft('composer', [...drafts])
    },
    /** Opens the dialog that compares runs of a handler. */
    compareRuns(handler: string | null) {
      set({ compared: handler })
      app().navigation.openOverlay('compare-runs')
    },
    compose(source: ReplaySource) {
      set({ source })
      app().navigation.openOverlay('replay-composer')
    },
    newRequest() {
      set({ source: { kind: 'new' } })
      app().navigation.openOverlay('replay-composer')
    },
    /** Copies a delivery as a curl command that signs when run and has the target of a replay. */
    async copyCurl(id: string) {
      const copy = async () => {
        const handler = currentHandler(tools)
        const preview = await client.call('replay.preview', {
          id,
          to: handler === undefined ? await lastTarget(tools, id) : handlerRef(handler),
        })
        return copyText(curlOf(preview, { state: app().core, timestamp: null, secret: null }))
      }
      const done = (copied: boolean) =>
        copied ? ({ tone: 'ok', title: 'Copied as cURL', message: CURL_HINT } as const) : null
      await act("Couldn't copy as cURL", copy, { done })
    },
  }
}
