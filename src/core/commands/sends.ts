/**
 * Handlers of the commands that send to the user's handler: `replay`, `forward`, `shrink`, `check`
 * and `flows`.
 */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { whenAborted } from '../base/async.ts'
import { signingPrefix } from '../../shared/service/header-names.ts'
import { checkCases } from '../check/cases.ts'
import { caseTexts } from '../check/run-cases.ts'
import type { HandlerOptions } from '../flows/run-handler.ts'
import { handlerNameIn } from '../../shared/http.ts'
import type { ForwardSettings, ForwardTarget } from '../../shared/model/forward.ts'
import { checkPrefix } from '../hooks/environments.ts'
import { signersOfHooks } from '../hooks/event-signers.ts'
import type { Endpoint, EndpointOverrides, SavedHandlers } from '../handlers/handlers.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskedSend } from '../import-export/masked-records.ts'
import { readListQuery, type Services } from './services.ts'
import { payloadsOfRun } from './flow-payloads.ts'

/** Wraps a function of one run as a command handler. */
function ofRun<Run>(work: (runId: string) => Promise<Run>) {
  return async ({ runId }: { readonly runId: string }) => ({ run: await work(runId) })
}

/** Returns the input with its body as bytes. */
function requestOf<Rest>({
  edits,
  ...rest
}: Rest & Pick<ParsedInputOf<'replay.preview'>, 'edits'>) {
  const { base64, ...changes } = edits
  return { ...rest, edits: changes, body: base64 === null ? null : Buffer.from(base64, 'base64') }
}

interface GivenTarget {
  readonly to: string | null
  readonly registeredUrl?: string | null
  readonly hookId?: string | null
  readonly targetCa?: string | null
}

/**
 * Resolves with a replay's target, CA certificate and signer: those given, else the current
 * handler's. Without either, each delivery's hook has them.
 */
async function resolveReplay(savedHandlers: SavedHandlers, given: GivenTarget) {
  const { registeredUrl = null, hookId = null, targetCa = null } = given
  const current = given.to === null ? savedHandlers.current() : null
  const to = current === null ? given.to : `@${current.name}`
  if (to === null) return { to, registeredUrl, hookId, targetCa, handlerId: null }
  const { url, handler, secret: _, ...signing } = await savedHandlers.resolve(to, given)
  return { ...signing, to: url, handlerId: handler?.id ?? null }
}

export function createSendHandlers(services: Services) {
  const { store, savedHandlers, replays, forwards, shrinks, checks, flows } = services

  /**
   * Resolves the endpoint of a target's URL, which may name a saved handler.
   * @param before - the target that is changed
   */
  async function endpointOf(given: ForwardEndpoint, before?: ForwardTarget) {
    const { url } = given
    // The form resubmits an unchanged URL; keep its handler.
    if (url === undefined || url === before?.url) return { handlerId: before?.handlerId ?? null }
    if (handlerNameIn(url) === null) return { handlerId: null }
    const { handler, registeredUrl, targetCa, ...endpoint } = await savedHandlers.resolve(
      url,
      given,
    )
    const signed = given.sign === 'as-received' ? {} : { registeredUrl }
    return { url: endpoint.url, ...signed, targetCa, handlerId: handler?.id ?? null }
  }
  const find = async (id: string | undefined) =>
    (await forwards.list()).targets.find((target) => target.id === id)

  return {
    'replay.start': async ({ query, ids, ...input }, { consent, signal }) => {
      const parsedQuery = query === undefined ? undefined : readListQuery(services, query)
      return {
        job: await replays.start(
          {
            ...requestOf(input),
            ...(await resolveReplay(savedHandlers, input)),
            ids,
            query: query ?? null,
            found: parsedQuery,
            consent,
          },
          signal,
        ),
      }
    },
    'replay.check': async ({ parts, most }, { consent, signal }) => {
      const resolved = await Promise.all(
        parts.map(async (part) => ({ ...part, ...(await resolveReplay(savedHandlers, part)) })),
      )
      await replays.checkParts({ parts: resolved, most, consent }, signal)
      return {}
    },
    'replay.preview': async ({ id, ...input }) => {
      const request = { ...requestOf(input), ...(await resolveReplay(savedHandlers, input)) }
      const { body, ...preview } = await replays.preview(id, request)
      return { ...preview, base64: Buffer.from(body).toString('base64') }
    },
    'replay.targets': () => replays.targets(),
    'replay.resume': async ({ jobId }, { consent }) => ({
      job: await replays.resume(jobId, consent),
    }),
    'replay.cancel': async ({ jobId }) => ({ job: await replays.jobs.cancel(jobId) }),
    'replay.get': async ({ jobId }) => ({ job: await replays.jobs.get(jobId) }),
    'replay.jobs': async ({ limit }) => ({ jobs: await replays.jobs.list(limit) }),
    'replay.sends': async (input) => ({ sends: await store.read('sendsOfJob', input) }),
    'replay.statistics': ({ jobId }) => store.read('replayStatistics', jobId),
    'replay.ofDelivery': async ({ id, limit }) => {
      const { seq } = await store.read('get', id)
      return { sends: await store.read('sendsOfDelivery', { deliverySeq: seq, limit }) }
    },
    'replay.send': async ({ id, masked }) =>
      maskedSend(await replays.send(id), await maskingOf(services, masked)),
    'forward.list': () => forwards.list(),
    'forward.add': async ({ temporary, ...settings }, { consent }) => ({
      target: await forwards.add(
        { ...settings, ...(await endpointOf(settings)) },
        consent,
        temporary,
      ),
    }),
    'forward.update': async ({ id, ...change }, { consent }) => {
      const endpoint = await endpointOf(change, await find(id))
      return { target: await forwards.update(id, { ...change, ...endpoint }, consent) }
    },
    'forward.remove': async ({ id }) => ({ dropped: await forwards.remove(id) }),
    'forward.pause': async ({ id }) => ({ target: await forwards.pause(id) }),
    'forward.resume': async ({ id }, { consent }) => ({
      target: await forwards.resume(id, consent),
    }),
    'forward.deliver': async ({ id }, { consent }) => ({
      target: await forwards.deliver(id, consent),
    }),
    'forward.drop': async ({ id }) => ({ dropped: await forwards.drop(id) }),
    'forward.keep': async ({ id }, { signal }) => {
      await whenAborted(signal)
      await forwards.leave(id)
      return {}
    },
    'forward.sends': async (input) => ({ sends: await store.read('forwardSends', input) }),
    'shrink.start': async (input, { consent }) => ({
      run: await shrinks.start({
        ...input,
        ...(await resolveReplay(savedHandlers, input)),
        consent,
      }),
    }),
    'shrink.cancel': ({ runId }) => shrinks.cancel(runId),
    'shrink.get': async ({ runId }) => shrinks.get(runId),
    'check.cases': () => Promise.resolve({ cases: checkCases.map(caseTexts) }),
    'check.start': async (input, { consent }) => {
      const { secret, handler: _, ...endpoint } = await resolveSigned(services, input.target, input)
      return {
        run: await checks.start({
          ...input,
          ...endpoint,
          secret: secret ?? undefined,
          prefix: input.prefix ?? endpointPrefix(services, endpoint),
          target: endpoint.url,
          consent,
        }),
      }
    },
    'check.cancel': ofRun(checks.cancel),
    'check.get': ofRun(checks.get),
    'check.list': async ({ limit }) => ({ runs: await checks.list(limit) }),
    'check.again': async (input, { consent }) => ({
      run: await checks.again({ ...input, consent }),
    }),
    'check.report': checks.report,
    'flows.list': () => Promise.resolve({ flows: flows.list() }),
    'flows.get': (which) => Promise.resolve({ flow: flows.get(which) }),
    'flows.start': async ({ handler, ...input }, { consent }) => ({
      run: await flows.start({
        ...input,
        handler: await handlerOfFlow(services, handler),
        consent,
      }),
    }),
    'flows.step': ofRun(flows.step),
    'flows.pause': ofRun(flows.pause),
    'flows.resume': ofRun(flows.resume),
    'flows.setSpeed': async ({ runId, speed }) => ({ run: await flows.setSpeed(runId, speed) }),
    'flows.cancel': ofRun(flows.cancel),
    'flows.runs': async ({ flow, limit }) => ({ runs: await flows.runs({ flow, limit }) }),
    'flows.run': ofRun(flows.run),
    'flows.report': async ({ runId, format }) => {
      const masking = await maskingOf(services, 'strict')
      const run = masking.texts(await flows.run(runId))
      const payloads = format === 'html' ? await payloadsOfRun(services, run, masking) : undefined
      const { reportFlow } = await flowReports()
      return { text: reportFlow(run, format, (await services.status()).version, payloads) }
    },
  } satisfies Partial<Handlers>
}

type ForwardEndpoint = Partial<Pick<ForwardSettings, 'url' | 'registeredUrl' | 'targetCa' | 'sign'>>

interface EndpointOptions extends Pick<EndpointOverrides, 'registeredUrl' | 'secret' | 'targetCa'> {
  readonly hookIds: readonly string[]
}

/**
 * Resolves an endpoint with its secret and hooks. Rejects with `INVALID_INPUT` for a saved one
 * without a secret.
 */
async function resolveSigned(
  { savedHandlers }: Services,
  target: string,
  given: EndpointOptions,
): Promise<Omit<Endpoint, 'hookId'> & { readonly hookIds: string[] }> {
  const [first = null] = given.hookIds
  const { hookId, ...endpoint } = await savedHandlers.resolve(target, { ...given, hookId: first })
  const hookIds = first === null ? (hookId === null ? [] : [hookId]) : [...given.hookIds]
  const { handler, secret } = endpoint
  if (handler !== null && secret === null && hookIds.length === 0)
    throw new AppError(
      'INVALID_INPUT',
      `Handler "${handler.name}" has no secret. Choose a hook for it, or enter its secret.`,
    )
  return { ...endpoint, hookIds }
}

function endpointPrefix(
  { hooks, environments }: Pick<Services, 'hooks' | 'environments'>,
  { hookIds: [hookId], prefix }: Pick<Endpoint, 'prefix'> & Pick<EndpointOptions, 'hookIds'>,
): string {
  const hook = hookId === undefined ? null : hooks.get(hookId)
  return signingPrefix((name) => environments.get(name), { hook, handler: { prefix } })
}

/** Resolves a flow's endpoint with its signers. Rejects with `INVALID_INPUT` without a secret. */
async function handlerOfFlow(
  services: Services,
  wanted: ParsedInputOf<'flows.start'>['handler'],
): Promise<HandlerOptions | null> {
  if (wanted === null) return null
  if (wanted.prefix !== null) checkPrefix(wanted.prefix)
  const { savedHandlers, hooks } = services
  const { secret, hookIds, ...endpoint } = await resolveSigned(services, wanted.url, wanted)
  if (secret === null && hookIds.length === 0)
    throw new AppError('INVALID_INPUT', "Enter your handler's secret.")
  return {
    ...endpoint,
    signers:
      hookIds.length > 0
        ? await signersOfHooks(hooks, hookIds, secret ?? undefined)
        : [{ event: null, secret: secret ?? '', url: null, headers: {} }],
    prefix: wanted.prefix ?? endpointPrefix(services, { ...endpoint, hookIds }),
    saved: endpoint.handler ?? savedHandlers.at(endpoint.url),
  }
}

/** Loads reports on demand, because the diagrams are large. */
const flowReports = () => import('../flows/reports.ts')
