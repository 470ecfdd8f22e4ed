/** Handlers of the commands that replay deliveries. */
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskedSend } from '../import-export/masked-records.ts'
import type { RecordedSend } from '../store/compared-sends.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import { decompressAll } from '../import-export/masked-body.ts'
import { comparisonOf, resolveReplay } from './replay-target.ts'
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
    'replay.resume': async ({ replayId }, { consent }) => ({
      replay: await replays.resume(replayId, consent),
    }),
    'replay.cancel': async ({ replayId }) => ({ replay: await replays.runs.cancel(replayId) }),
    'replay.get': async ({ replayId }) => ({ replay: await replays.runs.get(replayId) }),
    'replay.list': async ({ limit }) => ({ replays: await replays.runs.list(limit) }),
    'replay.sends': async (input) => ({ sends: await store.read('sendsOfReplay', input) }),
    'replay.comparison': async (input, { signal }) =>
      replays.comparisons.compare(input, await maskerOf(services, input.masked), signal),
    'replay.baseline': async ({ replayId, after }) =>
      replays.comparisons.baselinePage(replayId, after, await maskerOf(services)),
    'replay.statistics': ({ replayId }) => store.read('replayStatistics', replayId),
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
  { query, ids, baseline: given, ...input }: HandlerInput<'replay.start'>,
  consent: Consent,
  signal: AbortSignal,
): Promise<OutputOf<'replay.start'>> {
  const { replays, savedHandlers } = services
  const { against, ignore, headersIn, saves, baselineOf, ...request } = input
  // Replay includes possible events, like lists (docs/query.md).
  const parsedQuery = query === undefined ? undefined : readListQuery(services, query)
  const baseline = baselineOf === null ? given : await replays.comparisons.baselineOf(baselineOf)
  const compared = { against, ignore, headersIn, saves }
  const replay = await replays.start(
    {
      ...requestOf(request),
      ...(await resolveReplay(savedHandlers, request)),
      comparison: await comparisonOf(savedHandlers, { ...request, ...compared, baseline }),
      baseline,
      ids,
      query: query ?? null,
      parsedQuery,
      consent,
    },
    signal,
  )
  return { replay }
}

/** Returns a function that masks responses for a comparison, without their encoding. */
async function maskerOf(services: Services, masked: MaskingKind = 'none') {
  // Two runs may show different secrets, so there is no comparison without masking.
  const masking = await maskingOf(services, masked === 'none' ? 'credentials' : masked)
  return async ({ headers, body, truncated, sentHeaders }: RecordedSend) => {
    const own = masking.withValuesOf(sentHeaders)
    const { decoded, unread } = await decompressAll(body, contentEncodings(headers))
    return {
      headers: own.responseHeaders(headers),
      body:
        unread === null
          ? await own.body(decoded ?? body, [], truncated)
          : await own.body(body, headers, truncated),
    }
  }
}

async function compose(
  { composed, savedHandlers }: Services,
  { base64, ...input }: HandlerInput<'replay.compose'>,
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
