/** Handlers of `replay.*` and `forward.*`. */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { replayCommands } from '../../shared/contract/nouns/replay.ts'
import { readQuery } from '../../shared/query/parse.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { maskingOf, maskedSend } from '../transfer/masking.ts'
import type { Services } from './services.ts'
import type { forwardCommands } from '../../shared/contract/nouns/forward.ts'

/** What to send, with its body as bytes. */
function requestOf<Rest>({ edits, ...rest }: Rest & Pick<ParsedInputOf<'replay.preview'>, 'edits'>) {
  const { base64, ...changes } = edits
  return { ...rest, edits: changes, body: base64 === null ? null : Buffer.from(base64, 'base64') }
}

export function createReplayHandlers(services: Services): Pick<Handlers, keyof typeof replayCommands> {
  const { hooks, replays, checkReplayParts } = services
  return {
    'replay.start': async ({ query, ids, allowHosts, live, ...input }, { signal }) => {
      const found = query === undefined ? undefined : readQuery(query, { now: services.now(), hooks: hooks.list() })
      return {
        job: await replays.start(
          { ...requestOf(input), ids, query: query ?? null, found, consent: { allowHosts, live } },
          signal,
        ),
      }
    },
    'replay.check': async ({ parts, most, ...consent }, { signal }) => {
      await checkReplayParts({ parts, most, consent }, signal)
      return {}
    },
    'replay.preview': async ({ id, ...input }) => {
      const { body, headers, ...preview } = await replays.preview(id, requestOf(input))
      return { ...preview, headers: [...headers], base64: Buffer.from(body).toString('base64') }
    },
    'replay.targets': async () => {
      const { byHook, recent } = await replays.targets()
      return { byHook, recent: [...recent] }
    },
    'replay.resume': async ({ jobId, ...consent }) => ({ job: await replays.resume({ jobId, consent }) }),
    'replay.cancel': async ({ jobId }) => ({ job: await replays.cancel(jobId) }),
    'replay.get': async ({ jobId }) => ({ job: await replays.get(jobId) }),
    'replay.jobs': async ({ limit }) => ({ jobs: await replays.list(limit) }),
    'replay.sends': async (input) => ({ sends: await replays.sends(input) }),
    'replay.ofDelivery': async ({ id, limit }) => ({ sends: await replays.sendsOf({ deliveryId: id, limit }) }),
    'replay.send': async ({ id, masked }) => {
      const send = await replays.send(id)
      return masked ? maskedSend(send, await maskingOf(services)) : send
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve()
        },
        { once: true },
      )
  })
}

/** Handlers of `forward.*`. */
export function createForwardHandlers({ forwards }: Services): Pick<Handlers, keyof typeof forwardCommands> {
  return {
    'forward.list': () => forwards.list(),
    'forward.check': async ({ id, allowHosts, ...settings }) => {
      const { findings, host, liveEnvironments } = await forwards.check(settings, { id, allowHosts })
      return { findings: [...findings], host, liveEnvironments: [...liveEnvironments] }
    },
    'forward.add': async ({ allowHosts, live, temporary, ...settings }) => ({
      target: await forwards.add(settings, { allowHosts, live, temporary }),
    }),
    'forward.update': async ({ id, allowHosts, live, ...change }) => ({
      target: await forwards.update(id, change, { allowHosts, live }),
    }),
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
    'forward.answer': async ({ deliveryId, ...answer }) => {
      forwards.answer(deliveryId, answer)
      return {}
    },
    'forward.release': async ({ deliveryId }) => {
      forwards.release(deliveryId)
      return {}
    },
  }
}
