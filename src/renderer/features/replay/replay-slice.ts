/** Starts replays, announces how they end, and resumes interrupted ones. */
import { z } from 'zod'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { outcomeOfJob, outcomeOfSend } from '../../../shared/model/outcomes.ts'
import type { ReplayJob, ListedSend } from '../../../shared/model/send.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import { authorityOf, type AuthoritiesSlice } from '../../ui-state/authorities-slice.ts'
import { REPLAYS, withItem } from '../../core-data/events.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { readDraft, writeDraft } from '../../ui-state/tab-drafts.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { noticeTone } from '../../core-data/act.ts'
import { outcomeOf } from '../../ui/call-problem.ts'
import { copyText } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { accountOf, endTitle } from './account.ts'
import { CURL_HINT, curlOf, draftSchema, type Draft } from './draft.ts'

/** What to replay: specific deliveries or everything that matches a query. */
export type ReplaySource =
  | {
      readonly kind: 'rows'
      readonly rows: readonly DeliveryRow[]
      readonly wantsAuthority?: true
    }
  | { readonly kind: 'query'; readonly query: string }

export type ReplayInput = Omit<InputOf<'replay.start'>, 'allowHosts' | 'live' | 'most'>

interface Composing {
  /**
   * Changed drafts, by what they send: closing the composer or reloading the page discards nothing.
   */
  readonly drafts: ReadonlyMap<string, Draft>
  /** The subject of the composer or target dialog. */
  readonly source: ReplaySource | null
}

/** What the slice needs from others. */
interface ReplayContext {
  readonly core: CoreSlice
  readonly authorities: AuthoritiesSlice
  readonly navigation: NavigationSlice
}

/** Replays up to this size need no confirmation. */
const UNASKED = 25

const keptDrafts = z.array(z.tuple([z.string(), draftSchema]))

/** The endpoint of a request, with its name if it is saved. */
function placeOf({ handler, target }: Pick<ListedSend, 'handler' | 'target'>): string {
  return handler === null ? target : `@${handler}, ${target}`
}

export function createReplaySlice({
  client,
  data,
  fail,
  notify,
  act,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<Composing, ReplayContext>) {
  /** Replays started in this window whose end wasn't announced yet. */
  const mine = new Set<string>()
  const starts = new Set<AbortController>()
  let offered = false
  let takeAwayOffer = () => undefined as void

  /** Announces the end of one of our replays, unless it is in view. */
  const tellEnd = async (job: ReplayJob) => {
    const { overlay, about } = app().navigation
    if (overlay === 'replays' && about === job.id) return
    if (job.total !== 1) {
      notify({
        tone: noticeTone(outcomeOfJob(job)),
        title: endTitle(job),
        message: job.problem ?? accountOf(job),
        action: { label: 'Show', run: () => actions.show(job.id) },
      })
      return
    }
    const { sends } = await client.call('replay.sends', { jobId: job.id })
    const [send] = sends
    const { id, tab } = app().navigation.at.deliveries
    const inView = overlay === 'replay-composer' || (tab === 'history' && id === send?.deliveryId)
    if (send === undefined || inView) return
    notify({
      tone: noticeTone(outcomeOfSend(send)),
      title: endTitle(job, send),
      message: send.error === null ? `to ${placeOf(send)}` : `to ${placeOf(send)}: ${send.error}`,
      action: {
        label: 'Show',
        run: () => app().navigation.go('deliveries', { id: send.deliveryId, tab: 'history' }),
      },
    })
  }

  /** Announces once which replays were interrupted when Countersign stopped. */
  const offerInterrupted = (jobs: readonly ReplayJob[]) => {
    const interrupted = jobs.filter(({ state }) => state === 'interrupted')
    if (offered || interrupted.length === 0) return
    offered = true
    const [first] = interrupted
    const isOne = interrupted.length === 1
    takeAwayOffer = notify({
      tone: 'warn',
      title: isOne ? 'A replay was interrupted' : `${interrupted.length} replays were interrupted`,
      message: isOne
        ? 'Countersign stopped before it finished. You can resume it.'
        : 'Countersign stopped before they finished. You can resume them.',
      action: { label: 'Show', run: () => actions.show(first?.id ?? null) },
      shownForMs: 15_000,
    })
  }

  const tellChanges = () => {
    const jobs = app().core.replays ?? []
    offerInterrupted(jobs)
    for (const job of jobs)
      // Without a connection, the notice would fail too.
      if (job.state !== 'running' && mine.delete(job.id)) void tellEnd(job).catch(() => undefined)
  }
  subscribe(({ core }, before) => {
    if (core.replays !== before.core.replays) tellChanges()
  })

  const follow = (job: ReplayJob) => {
    mine.add(job.id)
    data.patch('replay.jobs', REPLAYS, ({ jobs }) => ({
      // Its end may be known already: the event can arrive before the start call returns.
      jobs: jobs.some(({ id }) => id === job.id) ? jobs : withItem(jobs, job),
    }))
    tellChanges()
  }

  const start = async (input: InputOf<'replay.start'>) => {
    const givingUp = new AbortController()
    starts.add(givingUp)
    try {
      const { job } = await client.call('replay.start', input, { signal: givingUp.signal })
      follow(job)
      return job
    } finally {
      starts.delete(givingUp)
    }
  }

  const currentHandler = () => app().core.handlers.find((one) => one.current)

  /** The last target of a delivery's hook; null for its registered URL. */
  const lastTarget = async (id: string) => {
    const [{ byHook }, { hookId }] = await Promise.all([
      client.call('replay.targets', {}),
      client.call('deliveries.get', { id }),
    ])
    return byHook[hookId ?? ''] ?? null
  }

  /** One replay to a saved handler. Null if it can't sign a delivery: it has no secret, and the delivery has no hook. */
  const partsFor = (handler: SavedHandler, rows: readonly DeliveryRow[]) =>
    !handler.hasSecret && rows.some(({ hookId }) => hookId === null)
      ? null
      : [{ ids: rows.map(({ id }) => id), to: handlerRef(handler), targetCa: null }]

  /** Replays to the last target of each hook; null if a delivery has no hook, or its hook no target yet. */
  const partsByHook = async (rows: readonly DeliveryRow[]) => {
    const { byHook } = await client.call('replay.targets', {})
    // Without a hook there is neither a secret to sign with nor a URL to send to.
    if (rows.some(({ hookId }) => hookId === null || byHook[hookId] === undefined)) return null
    const goingTo = rows.map(({ id, hookId }) => {
      const to = byHook[hookId ?? ''] ?? null
      const registered = app().core.hooks.find((hook) => hook.id === hookId)?.url ?? ''
      return { id, to, targetCa: authorityOf(app().authorities, to ?? registered) }
    })
    // A replay has one target and one CA certificate, so deliveries with different ones become separate replays.
    return [
      ...Map.groupBy(goingTo, ({ to, targetCa }) => JSON.stringify([to, targetCa])).values(),
    ].map((those) => ({
      ids: those.map(({ id }) => id),
      to: those[0]?.to ?? null,
      targetCa: those[0]?.targetCa ?? null,
    }))
  }

  const first: Composing = {
    drafts: new Map(readDraft('composer', keptDrafts)),
    source: null,
  }
  const actions = {
    /**
     * Sends deliveries to the current handler, else to the last target of their hook; asks for a
     * target if there is neither.
     */
    async again(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      let hasGone = false
      try {
        const current = currentHandler()
        const parts = current === undefined ? await partsByHook(rows) : partsFor(current, rows)
        if (parts === null) {
          set({ source: { kind: 'rows', rows } })
          app().navigation.openOverlay(
            rows.some(({ hookId }) => hookId === null) ? 'replay-composer' : 'replay-target',
          )
          return
        }
        // Check all parts before sending any: otherwise half would be sent before the next question.
        await client.call('replay.check', { parts, most: UNASKED })
        for (const part of parts) {
          await start(part)
          hasGone = true
        }
      } catch (error) {
        fail(hasGone ? "Couldn't send everything" : "Couldn't replay", error)
      }
    },
    /** Sends deliveries to an endpoint: those named in this order, or those that match a query. */
    async sendTo(to: string, what: { readonly ids: string[] } | { readonly query: string }) {
      await act("Couldn't replay", () => start({ ...what, to, most: UNASKED }))
    },
    /** Keeps a changed draft; null discards it. */
    keepDraft(subject: string, draft: Draft | null) {
      const drafts = new Map(get().drafts)
      if (draft === null && !drafts.has(subject)) return
      if (draft === null) drafts.delete(subject)
      else drafts.set(subject, draft)
      set({ drafts })
      writeDraft('composer', [...drafts])
    },
    compose(source: ReplaySource) {
      set({ source })
      app().navigation.openOverlay('replay-composer')
    },
    /** Cancels starts before any request is sent; false if there are none. */
    giveUpStart() {
      for (const givingUp of starts) givingUp.abort()
      return starts.size > 0
    },
    /** Starts a replay, unless the user denies consent or cancels it. */
    start: (input: ReplayInput) => outcomeOf(start({ ...input, most: UNASKED })),
    async resume(jobId: string) {
      await act("Couldn't resume the replay", async () =>
        follow((await client.call('replay.resume', { jobId })).job),
      )
    },
    async cancel(jobId: string) {
      await act("Couldn't cancel the replay", () => client.call('replay.cancel', { jobId }))
    },
    /** Cancels running replays; false if there are none. */
    cancelAll() {
      const running = (app().core.replays ?? []).filter(({ state }) => state === 'running')
      for (const { id } of running) void actions.cancel(id)
      return actions.giveUpStart() || running.length > 0
    },
    /**
     * Copies a delivery as a curl command that signs when run and sends it to where a replay would.
     */
    async copyCurl(id: string) {
      const copy = async () => {
        const handler = currentHandler()
        const preview = await client.call('replay.preview', {
          id,
          to: handler === undefined ? await lastTarget(id) : handlerRef(handler),
        })
        return copyText(curlOf(preview, { state: app().core, timestamp: null, secret: null }))
      }
      const done = (copied: boolean) =>
        copied ? ({ tone: 'ok', title: 'Copied as cURL', message: CURL_HINT } as const) : null
      await act("Couldn't copy as cURL", copy, { done })
    },
    /** Shows a replay, by default the newest one. */
    show(jobId: string | null) {
      takeAwayOffer()
      app().navigation.openOverlay('replays', jobId ?? app().core.replays?.[0]?.id)
    },
  }
  return { ...first, ...actions }
}
