/** Handlers of the commands that replay deliveries. */
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskedSend } from '../import-export/masked-records.ts'
import { resolveReplay } from './replay-target.ts'
import { readListQuery, type Services } from './services.ts'

export function createReplayHandlers(services: Services) {
  const { store, savedHandlers, replays } = services
  return {
    'replay.start': (input, { consent, signal }) => startReplay(services, input, consent, signal),
    'replay.compose': (input, { consent, signal }) => compose(services, input, consent, signal),
    'replay.check': async ({ parts, most }, { consent, signal }) => {
      const resolved = await Promise.all(
        parts.map(async (part) => ({ ...part, ...(await resolveReplay(savedHandlers, part)) })),
      )
      await replays.checkParts({ parts: resolved, most, consent }, signal)
      return {}
    },
    'replay.preview': (input) => previewReplay(services, input),
    'replay.targets': () => replays.targets(),
    'replay.resume': async ({ jobId }, { consent }) => ({
      job: await replays.resume(jobId, consent),
    }),
    'replay.cancel': async ({ jobId }) => ({ job: await replays.runs.cancel(jobId) }),
    'replay.get': async ({ jobId }) => ({ job: await replays.runs.get(jobId) }),
    'replay.jobs': async ({ limit }) => ({ jobs: await replays.runs.list(limit) }),
    'replay.sends': async (input) => ({ sends: await store.read('sendsOfJob', input) }),
    'replay.statistics': ({ jobId }) => store.read('replayStatistics', jobId),
    'replay.ofDelivery': async ({ id, limit }) => {
      const { seq } = await store.read('get', id)
      return { sends: await store.read('sendsOfDelivery', { deliverySeq: seq, limit }) }
    },
    'replay.send': async ({ id, masked }) =>
      maskedSend(await replays.send(id), await maskingOf(services, masked)),
  } satisfies Partial<Handlers>
}

function requestOf<Rest>({
  edits,
  ...rest
}: Rest & Pick<ParsedInputOf<'replay.preview'>, 'edits'>) {
  const { base64, ...changes } = edits
  return { ...rest, edits: changes, body: base64 === null ? null : Buffer.from(base64, 'base64') }
}

async function startReplay(
  services: Services,
  { query, ids, ...input }: HandlerInput<'replay.start'>,
  consent: Consent,
  signal: AbortSignal,
): Promise<OutputOf<'replay.start'>> {
  const { replays, savedHandlers } = services
  // Replay includes possible events, like lists (docs/query.md).
  const parsedQuery = query === undefined ? undefined : readListQuery(services, query)
  const job = await replays.start(
    {
      ...requestOf(input),
      ...(await resolveReplay(savedHandlers, input)),
      ids,
      query: query ?? null,
      parsedQuery,
      consent,
    },
    signal,
  )
  return { job }
}

async function compose(
  { composed, savedHandlers }: Services,
  { base64, replace, ...input }: HandlerInput<'replay.compose'>,
  consent: Consent,
  signal: AbortSignal,
): Promise<OutputOf<'replay.compose'>> {
  const given = { ...input, secret: input.secret ?? undefined }
  const endpoint = await resolveReplay(savedHandlers, given)
  const request = {
    ...input,
    ...endpoint,
    // A secret signs in place of the handler's hook.
    hookId: input.secret === null ? endpoint.hookId : input.hookId,
    body: Buffer.from(base64, 'base64'),
    ifTaken: replace ? ('move' as const) : ('keep' as const),
    consent,
  }
  return composed.send(request, signal)
}

async function previewReplay(
  { replays, savedHandlers }: Services,
  { id, ...input }: HandlerInput<'replay.preview'>,
): Promise<OutputOf<'replay.preview'>> {
  const request = { ...requestOf(input), ...(await resolveReplay(savedHandlers, input)) }
  const { body, ...preview } = await replays.preview(id, request)
  return { ...preview, base64: Buffer.from(body).toString('base64') }
}
