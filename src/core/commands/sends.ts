/** Handlers of `replay.*` and `forward.*`. */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { replayCommands } from '../../shared/contract/nouns/replay.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { maskingOf, maskedSend } from '../transfer/masking.ts'
import { handlerNameIn } from '../../shared/http.ts'
import type { ForwardSettings, ForwardTarget } from '../../shared/model/forward.ts'
import type { SavedHandlers } from '../sending/handlers.ts'
import { readListQuery } from './read-query.ts'
import type { Services } from './services.ts'
import type { forwardCommands } from '../../shared/contract/nouns/forward.ts'

/** What to send, with its body as bytes. */
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

/** The target, its CA certificate and what signs. Without a target, each delivery's hook has them. */
async function resolveTarget(savedHandlers: SavedHandlers, given: GivenTarget) {
  const { to, registeredUrl = null, hookId = null, targetCa = null } = given
  if (to === null) return { to, registeredUrl, hookId, targetCa, handlerId: null }
  const { url, handler, secret: _, ...signing } = await savedHandlers.resolve(to, given)
  return { ...signing, to: url, handlerId: handler?.id ?? null }
}

/** The same for a replay or the shrinker: the current handler unless an endpoint is given. */
export async function resolveReplay(savedHandlers: SavedHandlers, given: GivenTarget) {
  const current = given.to === null ? savedHandlers.current() : null
  return resolveTarget(
    savedHandlers,
    current === null ? given : { ...given, to: `@${current.name}` },
  )
}

export function createReplayHandlers(
  services: Services,
): Pick<Handlers, keyof typeof replayCommands> {
  const { savedHandlers, replays, checkReplayParts } = services
  return {
    'replay.start': async ({ query, ids, allowHosts, live, ...input }, { signal }) => {
      const found = query === undefined ? undefined : readListQuery(services, query)
      return {
        job: await replays.start(
          {
            ...requestOf(input),
            ...(await resolveReplay(savedHandlers, input)),
            ids,
            query: query ?? null,
            found,
            consent: { allowHosts, live },
          },
          signal,
        ),
      }
    },
    'replay.check': async ({ parts, most, ...consent }, { signal }) => {
      const resolved = await Promise.all(
        parts.map(async (part) => ({ ...part, ...(await resolveReplay(savedHandlers, part)) })),
      )
      await checkReplayParts({ parts: resolved, most, consent }, signal)
      return {}
    },
    'replay.preview': async ({ id, ...input }) => {
      const request = { ...requestOf(input), ...(await resolveReplay(savedHandlers, input)) }
      const { body, headers, ...preview } = await replays.preview(id, request)
      return { ...preview, headers: [...headers], base64: Buffer.from(body).toString('base64') }
    },
    'replay.targets': async () => {
      const { byHook, recent } = await replays.targets()
      return { byHook, recent: [...recent] }
    },
    'replay.resume': async ({ jobId, ...consent }) => ({
      job: await replays.resume({ jobId, consent }),
    }),
    'replay.cancel': async ({ jobId }) => ({ job: await replays.cancel(jobId) }),
    'replay.get': async ({ jobId }) => ({ job: await replays.get(jobId) }),
    'replay.jobs': async ({ limit }) => ({ jobs: await replays.list(limit) }),
    'replay.sends': async (input) => ({ sends: await replays.sends(input) }),
    'replay.statistics': ({ jobId }) => replays.statistics(jobId),
    'replay.ofDelivery': async ({ id, limit }) => ({
      sends: await replays.sendsOf({ deliveryId: id, limit }),
    }),
    'replay.send': async ({ id, masked }) =>
      maskedSend(await replays.send(id), await maskingOf(services, masked)),
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

type ForwardEndpoint = Partial<Pick<ForwardSettings, 'url' | 'registeredUrl' | 'targetCa' | 'sign'>>

/** Handlers of `forward.*`. */
export function createForwardHandlers({
  forwards,
  savedHandlers,
}: Services): Pick<Handlers, keyof typeof forwardCommands> {
  /** What a target's URL stands for; `before`: the target that is changed. */
  async function endpointOf(given: ForwardEndpoint, before?: ForwardTarget) {
    const { url } = given
    // A form sends the URL back that it was given.
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
    'forward.list': () => forwards.list(),
    'forward.check': async ({ id, allowHosts, ...settings }) => {
      const endpoint = await endpointOf(settings, await find(id))
      const { findings, host, liveEnvironments } = await forwards.check(
        { ...settings, ...endpoint },
        { id, allowHosts },
      )
      return { findings: [...findings], host, liveEnvironments: [...liveEnvironments] }
    },
    'forward.add': async ({ allowHosts, live, temporary, ...settings }) => ({
      target: await forwards.add(
        { ...settings, ...(await endpointOf(settings)) },
        { allowHosts, live, temporary },
      ),
    }),
    'forward.update': async ({ id, allowHosts, live, ...change }) => {
      const endpoint = await endpointOf(change, await find(id))
      return { target: await forwards.update(id, { ...change, ...endpoint }, { allowHosts, live }) }
    },
    'forward.remove': async ({ id }) => ({ dropped: await forwards.remove(id) }),
    'forward.pause': async ({ id }) => ({ target: await forwards.setPaused(id, true) }),
    'forward.resume': async ({ id }) => ({ target: await forwards.setPaused(id, false) }),
    'forward.deliver': async ({ id }) => ({ target: await forwards.deliver(id) }),
    'forward.drop': async ({ id }) => ({ dropped: await forwards.drop(id) }),
    'forward.keep': async ({ id }, { signal }) => {
      await untilAborted(signal)
      await forwards.leave(id)
      return {}
    },
    'forward.sends': async (input) => ({ sends: await forwards.sends(input) }),
  }
}
