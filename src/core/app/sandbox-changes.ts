/**
 * Tells what of the sandbox has changed, from what goes to its storage: everything that it knows passes there. A burst (a
 * program made with all that is in it) is told once.
 */
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { throttle } from '../base/throttle.ts'
import type { SandboxStorage } from '../sandbox/storage.ts'

type Part = PayloadOf<'sandbox.changed'>['parts'][number]

/** Hooks are told of by `hooks.changed`. */
const partOfKind: Readonly<Record<string, Part>> = {
  program: 'objects',
  brand: 'objects',
  location: 'objects',
  card: 'objects',
  offer: 'objects',
  payment: 'objects',
  notification: 'notifications',
  settlement: 'clearings',
  clock: 'clock',
}

export interface SandboxChanges {
  /** The same storage, watched. */
  watch(storage: SandboxStorage): SandboxStorage
  close(): void
}

export function createSandboxChanges(tell: (parts: Part[]) => void): SandboxChanges {
  let parts = new Set<Part>()
  const changed = throttle(
    () => {
      const told = [...parts]
      parts = new Set()
      tell(told)
    },
    { first: 'later' },
  )

  function note(kind: string): void {
    const part = partOfKind[kind]
    if (part === undefined) return
    parts.add(part)
    changed()
  }

  return {
    watch: (storage) => ({
      load: () => storage.load(),
      async put(record) {
        await storage.put(record)
        note(record.kind)
      },
      async delete(kind, id) {
        await storage.delete(kind, id)
        note(kind)
      },
    }),
    close: changed.stop,
  }
}
