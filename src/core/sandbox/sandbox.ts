/** Emulates the service on this computer (see `docs/sandbox.md`). */
import { AppError } from '../../shared/contract/errors.ts'
import type { TriggerResult } from '../../shared/model/sandbox.ts'
import { whenAborted } from '../base/async.ts'
import { startApi } from './api.ts'
import { HookRegistry } from './hook-registry.ts'
import { CLOCK_ID, SandboxClock } from './clock.ts'
import { Notifications } from './notifications.ts'
import { loadRecords } from './records.ts'
import type { SandboxDeps, SandboxService } from './service.ts'
import { Triggers, type TriggerInput } from './trigger.ts'
import { ensureOffer, ensureProgram } from './programs.ts'
import { SandboxObjects } from './sandbox-objects.ts'

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

export async function createSandbox(deps: SandboxDeps) {
  const records = await loadRecords(deps.storage, deps.log, deps.onChanged)
  const clock = new SandboxClock(deps.clock, records.find('clock', CLOCK_ID, 'test'), (record) =>
    records.put('clock', 'test', record),
  )
  const service: SandboxService = { ...deps, wall: deps.clock, clock, records }
  /** Makes a program in each mode, and those named by hooks. */
  async function makePrograms(): Promise<void> {
    for (const { mode } of deps.accounts) {
      await ensureProgram(records, mode, clock.now())
      for (const { programId, offerId } of records.all('hook', mode)) {
        if (programId !== null) await ensureProgram(records, mode, clock.now(), programId)
        if (offerId !== null) await ensureOffer(records, mode, clock.now(), offerId, programId)
      }
    }
  }
  await makePrograms()
  const notifications = new Notifications(service)
  const triggers = new Triggers(service, notifications)
  const { clearings } = triggers
  const hooks = new HookRegistry(service, notifications)
  const server = await startApi(service, hooks)
  notifications.resume()
  clearings.start()

  return {
    /** Base URL: `https://127.0.0.1:PORT`. */
    url: server.url,
    port: server.port,
    registerHook: hooks.register,
    removeHook: hooks.drop,
    /** Triggers an event; resolves after the first attempts. Sending continues after an abort. */
    trigger(input: TriggerInput, signal = AbortSignal.any([])): Promise<TriggerResult> {
      const cancelled = whenAborted(signal).then(() => {
        throw new AppError('CANCELLED', 'Trigger cancelled. Deliveries that had started continue.')
      })
      return Promise.race([triggers.trigger(input), cancelled])
    },
    preview: triggers.preview,
    objects: new SandboxObjects(service, triggers),
    clock,
    /** Resets all but hooks and keys. */
    async reset() {
      await notifications.stopAll()
      for (const kind of [
        'notification',
        'payment',
        'card',
        'location',
        'brand',
        'offer',
        'program',
      ] as const) {
        for (const { data } of records.entries(kind)) await records.remove(kind, data.id)
      }
      await clock.reset()
      await makePrograms()
    },
    notifications: notifications.list,
    sendAgain: notifications.sendAgain,
    clearings: clearings.list,
    async close() {
      await server.close()
      // First, so that no clearing starts; one in progress ends with its notifications.
      const settled = clearings.close()
      await notifications.close()
      await settled
    },
  }
}
