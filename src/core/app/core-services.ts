/** Services for the contract's commands, from the parts of a core. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import { caFileOf } from '../base/data-folder.ts'
import { Causes } from '../commands/causes.ts'
import { diagnosisAttempts } from '../commands/explain-signature.ts'
import type { Services } from '../commands/services.ts'
import { testEnvironment } from '../hooks/service-clients.ts'
import { createHookSync } from '../hooks/sync-hooks.ts'
import { CaptureSharing } from '../sharing/sharing.ts'
import { Setups } from '../setup/setups.ts'
import { Importer } from '../import-export/importer.ts'
import type { CoreReports } from './core-reports.ts'
import type { CoreOptions } from './core.ts'
import type { HookParts } from './open-hook-parts.ts'
import type { Reception } from './open-reception.ts'
import type { Sending } from './open-sending.ts'
import type { Closers, StorageParts } from './open-storage.ts'
import type { Started } from './start-serving.ts'

export type CoreParts = StorageParts & HookParts & Reception & Sending & Started

/** Returns a part that only a serving core has. Throws `NOT_RUNNING` without it. */
function requireRunning<T>(part: T | null, what: string): T {
  if (part !== null) return part
  throw new AppError(
    'NOT_RUNNING',
    `${what} needs Countersign running. Start it with "countersign serve" (or open the app), then try again.`,
  )
}

/** Opens the diagnosis of invalid signatures, which only a serving core runs in the background. */
export function openCauses(parts: CoreParts, { status }: CoreReports, closers: Closers) {
  const causes = new Causes({ ...parts, status }, parts.log, parts.hub)
  closers.add(causes.close)
  if (parts.serving === null) return causes
  parts.hub.on('delivery.stored', ({ verdict }) => {
    if (verdict === 'invalid') causes.wake()
  })
  parts.hub.on('hooks.changed', causes.wake)
  parts.hub.on('environments.changed', causes.wake)
  return causes
}

export function createServices(
  parts: CoreParts,
  reports: CoreReports,
  causes: Services['causes'],
  { browsers, setupFile }: Pick<CoreOptions, 'browsers' | 'setupFile'>,
  dataFolder: string,
): Services {
  const { clients, clock, environments, hub, ids, receiver, sandbox, serving, settings } = parts
  const capture = serving?.capture ?? null
  return {
    ...parts,
    causes,
    ...{ status: reports.status, doctor: reports.doctor, diagnostics: reports.diagnostics },
    announce: (seq) => hub.emit('delivery.imported', seq),
    importer: new Importer({ ...parts, bodyLimit: () => settings.current().bodyLimit }),
    sharing: new CaptureSharing({
      ...parts,
      dataFolder,
      attemptsOf: (delivery, body) =>
        diagnosisAttempts({ ...parts, status: reports.status }, delivery, body),
      isUnexplained: causes.isUnexplained,
    }),
    syncHooks: createHookSync(parts),
    setups: new Setups({ ...parts, setupFile: setupFile ?? null }),
    now: () => clock.now(),
    businessNow: (environment) =>
      sandbox !== null && environment !== null && isSandboxEnvironment(environment)
        ? Date.parse(sandbox.clock.state().now)
        : clock.now(),
    curlTrust: () => ({ receiver: receiver().url, caFile: caFileOf(dataFolder) }),
    browsers() {
      if (browsers !== undefined) return browsers()
      throw new AppError(
        'UNSUPPORTED',
        'This is the desktop app, so it has no URL to open in a browser.',
      )
    },
    checkEnvironment: (name) => testEnvironment(environments.get(name), clients, ids),
    setPublicUrl: async (publicUrl) =>
      requireRunning(capture, 'Setting the public URL').setPublicUrl(publicUrl),
    pauseReceiver: async () => requireRunning(capture, 'Pausing capture').setPaused(true),
    resumeReceiver: async () => requireRunning(capture, 'Resuming capture').setPaused(false),
    sandbox: (what) => requireRunning(sandbox, what),
    tunnels: (what) => requireRunning(parts.tunnels, what),
    sample: async (signal) => requireRunning(sandbox, 'Sending a sample').sample(signal),
  }
}
