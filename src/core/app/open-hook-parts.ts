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
  const { consents, hub, any2xxEnvironments } = storage
  const environments = await openEnvironments({
    ...storage,
    forgetConsent: (name) => consents.forget({ about: 'environment', name }),
  })
  const noteAny2xx = () => {
    any2xxEnvironments.clear()
    for (const { ack, name } of environments.all()) if (ack === '2xx') any2xxEnvironments.add(name)
  }
  noteAny2xx()
  hub.on('environments.changed', noteAny2xx)
  const registry = new Registry()
  const hooks = await openHooks({ ...storage, environments, registry })
  const lateVerdicts = new LateVerdicts({ ...storage, environments, registry })
  // A one-command core waits for verdicts in progress; a serving core stops them.
  closers.add(serve === null ? lateVerdicts.settled : lateVerdicts.close)
  hub.on('hook.keyed', lateVerdicts.judgeAll)
  hub.on('environments.changed', lateVerdicts.environmentsChanged)
  const diagnosis = createDiagnosisService(workers.diagnosis)
  closers.add(diagnosis.close)
  return { environments, registry, hooks, lateVerdicts, diagnosis }
}
