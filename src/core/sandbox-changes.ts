/**
 * Tells what of the sandbox has changed, from what goes to its storage: everything that it knows passes there. A burst (a
 * program made with all that is in it) is told once.
 */
import type { PayloadOf } from '../shared/contract/contract.ts'
import type { SandboxStorage } from './sandbox/storage.ts'

type Part = PayloadOf<'sandbox.changed'>['parts'][number]

/** How long changes are gathered, in milliseconds. */
const GATHER_MS = 100

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
  let timer: NodeJS.Timeout | null = null

  function note(kind: string): void {
    const part = partOfKind[kind]
    if (part === undefined) return
    parts.add(part)
    timer ??= setTimeout(() => {
      timer = null
      const told = [...parts]
      parts = new Set()
      tell(told)
    }, GATHER_MS)
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
    close() {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
