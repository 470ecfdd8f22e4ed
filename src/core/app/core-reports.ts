/** Reports about this core: its status, the checks of `doctor`, and the diagnostics file. */
import type { AppStatus } from '../../shared/model/status.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { runDoctor } from '../commands/doctor.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { writeDiagnostics } from './diagnostics.ts'
import type { HookParts } from './open-hook-parts.ts'
import type { Reception } from './open-reception.ts'
import type { Sending } from './open-sending.ts'
import type { StorageParts } from './open-storage.ts'
import type { Started } from './start-serving.ts'

type ReportParts = StorageParts & HookParts & Reception & Sending & Started

export class CoreReports {
  readonly #parts: ReportParts
  readonly #deps: Pick<Deps, 'dataFolder' | 'host' | 'version'>

  constructor(parts: ReportParts, deps: Pick<Deps, 'dataFolder' | 'host' | 'version'>) {
    this.#parts = parts
    this.#deps = deps
  }

  status = async (): Promise<AppStatus> => {
    const { dataFolder, host, version } = this.#deps
    const { receiver, sandbox, store, vault } = this.#parts
    return {
      version,
      host,
      pid: process.pid,
      dataFolder,
      caFile: caFileOf(dataFolder),
      receiver: receiver(),
      sandbox: sandbox?.url ?? null,
      store: await store.status(),
      vault: vault.status(),
    }
  }

  doctor = async () => {
    const { clock, guard, hooks, receiver, serving, settings, store, tunnels } = this.#parts
    const { renewalTime } = await import('../receiver/certificates.ts')
    const { storedRenewalTime } = await import('../receiver/identity.ts')
    const [damage] = await Promise.all([store.findDamage(), store.search.open()])
    return runDoctor({
      status: await this.status(),
      hooks: hooks.list(),
      isUnreachable: async (address) =>
        (await guard.probe(address, { policy: guard.policyFor([]) })).failure?.kind === 'refused',
      durability: await store.write('durability', null),
      damage,
      limits: settings.current().retention,
      renewalAt:
        serving === null
          ? await storedRenewalTime(this.#deps.dataFolder)
          : renewalTime(serving.identity.certificate().cert),
      addressTest: receiver().publicUrl === null || tunnels === null ? null : await tunnels.test(),
      now: clock.now(),
    })
  }

  diagnostics = async () => {
    const { clock, environments, forwards, hooks, savedHandlers, settings, tunnels } = this.#parts
    const masking = await maskingOf({ hooks, environments, savedHandlers }, 'strict')
    const targets = Object.groupBy((await forwards.list()).targets, ({ light }) => light)
    return writeDiagnostics({
      status: await this.status(),
      checks: await this.doctor(),
      // Counts, because names and URLs are private.
      stored: {
        settings: settings.current(),
        hooks: hooks.list().length,
        environments: environments.all().length,
        targets: Object.fromEntries(
          Object.entries(targets).map(([light, group]) => [light, group.length]),
        ),
        tunnel: tunnels?.status().state ?? 'off',
      },
      now: clock.now(),
      mask: (text) => masking.text(text),
    })
  }
}
