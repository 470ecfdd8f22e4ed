/** Starts replays with the necessary consent, follows their progress, and resumes interrupted ones. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow, Delivery } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { lookOfJob, lookOfSend } from '../../../shared/model/outcomes.ts'
import type { ReplayJob, ListedSend } from '../../../shared/model/send.ts'
import type { Statistics } from '../../../shared/model/statistics.ts'
import { authorityOf, type AuthoritiesSlice } from '../../state/authorities-slice.ts'
import type { ConsentQuestion } from '../../state/consent-question.ts'
import { withItem } from '../../data/events.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { noticeTone } from '../../data/act.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import { copyText } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { accountOf, endTitle } from './account.ts'
import { CURL_HINT, curlOf, type CurlSurroundings } from './curl.ts'
import { LONGEST_EDITED, type Draft } from './draft.ts'
import { createReplayStarts, withConsent, type ReplayConsent } from './replay-starts.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../../ui/bytes.ts'

/** What to replay: specific deliveries or everything that matches a query. */
export type ReplaySource =
  | {
      readonly kind: 'rows'
      readonly rows: readonly DeliveryRow[]
      readonly wantsAuthority?: true
    }
  | { readonly kind: 'query'; readonly query: string }

export type ReplayInput = Omit<InputOf<'replay.start'>, 'allowHosts' | 'live' | 'most'>

export interface ReplaySlice extends ReplayReadings {
  /** The changed draft of the delivery composed last: closing the composer discards nothing. */
  readonly kept: { readonly id: string; readonly draft: Draft } | null
  /** Newest first; null until loaded. */
  readonly jobs: readonly ReplayJob[] | null
  /** Why loading failed. */
  readonly jobsProblem: string | null
  /** The selected replay. */
  readonly shown: string | null
  readonly question: ConsentQuestion | null
  /** The subject of the composer or target dialog. */
  readonly source: ReplaySource | null
  /** Increments after each request. */
  readonly revision: number

  /** Sends deliveries to the current handler, else to the last target of their hook; asks for a target if there is neither. */
  again(rows: readonly DeliveryRow[]): Promise<void>
  /** Sends deliveries to an endpoint: those named in this order, or those that match a query. */
  sendTo(to: string, what: { readonly ids: string[] } | { readonly query: string }): Promise<void>
  compose(source: ReplaySource): void
  keepDraft(kept: ReplaySlice['kept']): void
  /** Null if consent was denied or the replay was cancelled before its first request. */
  start(input: ReplayInput): Promise<CallResult<ReplayJob | null>>
  resume(jobId: string): Promise<void>
  cancel(jobId: string): Promise<void>
  /** Cancels starts before any request is sent. */
  giveUpStart(): void
  /** Cancels running replays; false if there are none. */
  cancelAll(): boolean
  /** Copies a delivery as a curl command that signs when run, for the last target of its hook. */
  copyCurl(id: string): Promise<void>
  answerQuestion(agreed: boolean): void
  loadJobs(): Promise<void>
  changed(job: ReplayJob): void
  show(jobId: string | null): void
}

/** State needed from hooks and the open delivery. */
interface Surroundings {
  readonly core: {
    readonly hooks: readonly Hook[]
    readonly handlers: readonly SavedHandler[]
  } & CurlSurroundings
  readonly detail: {
    readonly tab: string
    readonly openId: string | null
    readonly mode: string
  }
}

const JOBS = 200

/** The endpoint of a request, with its name if it is saved. */
function placeOf({ handler, target }: Pick<ListedSend, 'handler' | 'target'>): string {
  return handler === null ? target : `@${handler}, ${target}`
}

export function createReplaySlice({
  client,
  fail,
  notify,
  act,
  resource,
  set,
  get,
  app,
}: FeatureTools<
  ReplaySlice,
  Surroundings & { readonly navigation: NavigationSlice } & {
    readonly authorities: AuthoritiesSlice
  }
>): ReplaySlice {
  const hosts = new Set<string>()
  /** Replays started in this window whose end wasn't announced yet. */
  const mine = new Set<string>()
  let offered = false
  let takeAwayOffer = () => undefined as void
  let answer: (agreed: boolean) => void = () => undefined

  const ask = (question: ConsentQuestion) =>
    new Promise<boolean>((resolve) => {
      answer = resolve
      set({ question })
    })

  const put = (job: ReplayJob) =>
    set(({ jobs, revision }) => ({ jobs: withItem(jobs, job), revision: revision + 1 }))

  /** Announces the end of one of our replays, unless it is in view. */
  const tellEnd = async (job: ReplayJob) => {
    if (!mine.delete(job.id)) return
    const { shown: replayShown } = get()
    const {
      navigation: { overlay },
    } = app()
    if (overlay === 'replays' && replayShown === job.id) return
    if (job.total !== 1) {
      notify({
        tone: noticeTone(lookOfJob(job)),
        title: endTitle(job),
        message: job.problem ?? accountOf(job),
        action: {
          label: 'Show',
          run: () => get().show(job.id),
        },
      })
      return
    }
    const { sends } = await client.call('replay.sends', { jobId: job.id })
    const [send] = sends
    const { tab, openId, mode } = app().detail
    const inView =
      overlay === 'replay-composer' ||
      (tab === 'replays' && mode !== 'closed' && openId === send?.deliveryId)
    if (send === undefined || inView) return
    notify({
      tone: noticeTone(lookOfSend(send)),
      title: endTitle(job, send),
      message: send.error === null ? `to ${placeOf(send)}` : `to ${placeOf(send)}: ${send.error}`,
      action: {
        label: 'Show',
        run: () => {
          app().navigation.go('deliveries', { id: send.deliveryId, tab: 'replays' })
        },
      },
    })
  }

  const follow = (job: ReplayJob) => {
    mine.add(job.id)
    const known = get().jobs?.find(({ id }) => id === job.id)
    // The end event may arrive before the start call returns.
    const now = known === undefined || known.state === 'running' ? job : known
    put(now)
    if (now.state !== 'running') void tellEnd(now)
  }

  const begin = async (call: (consent: ReplayConsent) => Promise<{ job: ReplayJob } | null>) => {
    const started = await withConsent(hosts, ask, call)
    if (started === null) return null
    follow(started.job)
    return started.job
  }

  const starts = createReplayStarts(client)

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

  /** Announces once which replays were interrupted when Countersign stopped. */
  const offerInterrupted = (jobs: readonly ReplayJob[]) => {
    const interrupted = jobs.filter(({ state }) => state === 'interrupted')
    if (offered || interrupted.length === 0) return
    offered = true
    const [first] = interrupted
    takeAwayOffer = notify({
      tone: 'warn',
      title:
        interrupted.length === 1
          ? 'A replay was interrupted'
          : `${interrupted.length} replays were interrupted`,
      message:
        interrupted.length === 1
          ? 'Countersign stopped before it finished. You can resume it.'
          : 'Countersign stopped before they finished. You can resume them.',
      action: {
        label: 'Show',
        run: () => get().show(first?.id ?? null),
      },
      shownForMs: 15_000,
    })
  }

  return {
    kept: null,
    jobs: null,
    jobsProblem: null,
    shown: null,
    question: null,
    source: null,
    revision: 0,

    async again(rows) {
      if (rows.length === 0) return
      let hasGone = false
      try {
        const current = app().core.handlers.find((one) => one.current)
        const parts = current === undefined ? await partsByHook(rows) : partsFor(current, rows)
        if (parts === null) {
          set({ source: { kind: 'rows', rows } })
          app().navigation.openOverlay(
            rows.some(({ hookId }) => hookId === null) ? 'replay-composer' : 'replay-target',
          )
          return
        }
        // Check all parts before sending any: otherwise half would be sent before the next question.
        const agreed = await withConsent(hosts, ask, async (consent) => {
          await client.call('replay.check', { parts, ...consent })
          return consent
        })
        if (agreed === null) return
        for (const part of parts) {
          const started = await starts.start({ ...part, ...agreed })
          if (started === null) return
          hasGone = true
          follow(started.job)
        }
      } catch (error) {
        fail(hasGone ? "Couldn't send everything" : "Couldn't replay", error)
      }
    },
    async sendTo(to, what) {
      await act("Couldn't replay", () =>
        begin((consent) => starts.start({ ...what, to, ...consent })),
      )
    },
    keepDraft(kept) {
      set({ kept })
    },
    compose(source) {
      set({ source })
      app().navigation.openOverlay('replay-composer')
    },
    ...createReplayReadings(client),
    giveUpStart: () => void starts.giveUp(),
    start: (input) => outcomeOf(begin((consent) => starts.start({ ...input, ...consent }))),
    async resume(jobId) {
      await act("Couldn't resume the replay", () =>
        begin(({ allowHosts, live }) => client.call('replay.resume', { jobId, allowHosts, live })),
      )
    },
    async cancel(jobId) {
      await act("Couldn't cancel the replay", async () => {
        put((await client.call('replay.cancel', { jobId })).job)
      })
    },
    cancelAll() {
      const running = (get().jobs ?? []).filter(({ state }) => state === 'running')
      for (const { id } of running) void get().cancel(id)
      return starts.giveUp() || running.length > 0
    },
    async copyCurl(id) {
      const copy = async () => {
        const [{ byHook }, { hookId }] = await Promise.all([
          client.call('replay.targets', {}),
          client.call('deliveries.get', { id }),
        ])
        const preview = await client.call('replay.preview', {
          id,
          to: byHook[hookId ?? ''] ?? null,
        })
        return copyText(curlOf(preview, { state: app().core, timestamp: null, secret: null }))
      }
      const done = (copied: boolean) =>
        copied ? ({ tone: 'ok', title: 'Copied as cURL', message: CURL_HINT } as const) : null
      await act("Couldn't copy as cURL", copy, { done })
    },
    answerQuestion(agreed) {
      set({ question: null })
      answer(agreed)
    },
    loadJobs: resource(async () => {
      const { jobs } = await client.call('replay.jobs', { limit: JOBS })
      offerInterrupted(jobs)
      return { jobs, revision: get().revision + 1 }
    }, 'jobsProblem'),
    changed(job) {
      put(job)
      if (job.state !== 'running') void tellEnd(job).catch(() => undefined)
    },
    show(jobId) {
      takeAwayOffer()
      set({ shown: jobId ?? get().jobs?.[0]?.id ?? null })
      app().navigation.openOverlay('replays')
      void get().loadJobs()
    },
  }
}

interface ReplayReadings {
  /** A delivery with its body; the body is null if it is too long to edit. */
  readCaptured(
    id: string,
  ): Promise<CallResult<{ readonly delivery: Delivery; readonly body: Uint8Array | null }>>
  /** Empty on failure: targets are only suggestions. */
  readTargets(): Promise<OutputOf<'replay.targets'>>
  preview(input: InputOf<'replay.preview'>): Promise<CallResult<OutputOf<'replay.preview'>>>
  readSends(input: InputOf<'replay.sends'>): Promise<CallResult<readonly ListedSend[]>>
  /** Statistics of a job's finished sends. */
  readStatistics(jobId: string, signal: AbortSignal): Promise<CallResult<Statistics>>
}

function createReplayReadings(client: Client): ReplayReadings {
  return {
    readCaptured: (id) =>
      outcomeOf(
        (async () => {
          const delivery = await client.call('deliveries.get', { id })
          if (delivery.bodySize > LONGEST_EDITED || delivery.truncated)
            return { delivery, body: null }
          const pieces: Uint8Array[] = []
          for (let read = 0; read < delivery.bodySize; read += pieces.at(-1)?.length ?? 0) {
            const piece = fromBase64(
              (await client.call('deliveries.body', { id, offset: read })).base64,
            )
            if (piece.length === 0) break
            pieces.push(piece)
          }
          return { delivery, body: concatenated(pieces) }
        })(),
      ),
    readTargets: () => client.call('replay.targets', {}).catch(() => ({ byHook: {}, recent: [] })),
    preview: (input) => outcomeOf(client.call('replay.preview', input)),
    readSends: (input) => outcomeOf(client.call('replay.sends', input).then(({ sends }) => sends)),
    readStatistics: (jobId, signal) =>
      outcomeOf(client.call('replay.statistics', { jobId }, { signal })),
  }
}
