/** Opens environments and hooks, and what verifies deliveries with them. */
import type { Deps } from '../base/deps.ts'
import { openEnvironments } from '../hooks/environments.ts'
import { openHooks } from '../hooks/hooks.ts'
import { Registry } from '../hooks/registry.ts'
import { LateVerdicts } from '../import-export/late-verdicts.ts'
import { createDiagnosisService } from '../signature/diagnosis-service.ts'
import type { CoreOptions } from './core.ts'
import type { Closers, StorageParts } from './open-storage.ts'

export type HookParts = Awaited<ReturnType<typeof openHookParts>>

export async function openHookParts(
  storage: StorageParts,
  { workers }: Pick<Deps, 'workers'>,
  { serve }: Pick<CoreOptions, 'serve'>,
  closers: Closers,
) {
  const { consents, hub, lenient } = storage
  const environments = await openEnvironments({
    ...storage,
    forgetConsent: (name) => consents.forget({ about: 'environment', name }),
  })
  const noteLenient = () => {
    lenient.clear()
    for (const { ack, name } of environments.all()) if (ack === '2xx') lenient.add(name)
  }
  noteLenient()
  hub.on('environments.changed', noteLenient)
  const registry = new Registry()
  const hooks = await openHooks({ ...storage, environments, registry })
  const lateVerdicts = new LateVerdicts({ ...storage, environments, registry })
  // A single command finishes what it started.
  closers.add(serve === null ? lateVerdicts.settled : lateVerdicts.close)
  hub.on('hook.keyed', lateVerdicts.judgeAll)
  hub.on('environments.changed', lateVerdicts.environmentsChanged)
  const diagnosis = createDiagnosisService(workers.diagnosis)
  closers.add(diagnosis.close)
  return { environments, registry, hooks, lateVerdicts, diagnosis }
}
