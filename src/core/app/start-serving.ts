/** Starts to listen: from then on, deliveries arrive. */
import type { Deps } from '../base/deps.ts'
import { caFileOf } from '../base/data-folder.ts'
import { createArrivals } from '../outgoing/own-sends.ts'
import { hostOf } from '../outgoing/wire/loopback.ts'
import { Intake } from '../receiver/intake.ts'
import { createProbes } from '../receiver/probes.ts'
import { DEFAULT_LIMITS } from '../receiver/receiver-limits.ts'
import { testAddress } from '../tunnels/test-address.ts'
import { openTunnels } from '../tunnels/tunnels.ts'
import type { HookParts } from './open-hook-parts.ts'
import type { Reception } from './open-reception.ts'
import type { Sending } from './open-sending.ts'
import type { Closers, StorageParts } from './open-storage.ts'

export type Started = Awaited<ReturnType<typeof startServing>>

type ServingParts = StorageParts & HookParts & Sending & Pick<Reception, 'receiver'>
type Serving = NonNullable<Reception['serving']>

async function startReceiving(parts: ServingParts, { capture, identity }: Serving) {
  const { clock, flows, forwards, log, randomBytes, registry, settings } = parts
  const arrivals = createArrivals()
  const probes = createProbes(randomBytes)
  await capture.start({
    identity,
    clock,
    log,
    limits: { ...DEFAULT_LIMITS, bodyBytes: () => settings.current().bodyLimit },
    judgeStream: registry.judgeStream,
    take: new Intake({
      ...parts,
      ...{ arrivals, probes },
      answerer: () => forwards.responder(),
      isPaused: capture.isPaused,
      flowRunOf: flows.flowRunOf,
    }).take,
  })
  return { arrivals, probes }
}

function openTunnelsOf(
  { clock, guard, hub, store }: ServingParts,
  { capture }: Serving,
  probes: ReturnType<typeof createProbes>,
  dataFolder: string,
) {
  return openTunnels({
    ...{ store, hub, capture, dataFolder, caFile: caFileOf(dataFolder) },
    env: process.env,
    async test(address) {
      // The user allowed this host by setting the URL.
      const policy = guard.policyFor([hostOf(new URL(address))])
      const sender = guard.createSender({ policy, keepAlive: false })
      try {
        return await testAddress(address, { clock, probes, sender })
      } finally {
        await sender.close()
      }
    },
  })
}

export async function startServing(
  parts: ServingParts,
  serving: Serving | null,
  { dataFolder }: Pick<Deps, 'dataFolder'>,
  closers: Closers,
) {
  if (serving === null) return { sandbox: null, tunnels: null }
  const { identity, serve, startSandbox } = serving
  const { arrivals, probes } = await startReceiving(parts, serving)
  const sandbox =
    serve.withoutSandbox === true
      ? null
      : await startSandbox({ ...parts, arrivals, identity, serve })
  if (sandbox !== null) closers.add(sandbox.close)
  const { url, httpUrl } = parts.receiver()
  for (const served of [url, httpUrl, sandbox?.url ?? null])
    if (served !== null) parts.servedPorts.add(new URL(served).port)
  const tunnels = await openTunnelsOf(parts, serving, probes, dataFolder)
  closers.add(tunnels.close)
  return { sandbox, tunnels }
}
