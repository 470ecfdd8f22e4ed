/** Events about changes of the sandbox. */
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { throttle } from '../base/throttle.ts'
import type { RecordKind } from '../sandbox/records.ts'

type Part = PayloadOf<'sandbox.changed'>['parts'][number]

/** Parts to report by kind of record; hooks are reported by `hooks.changed`. */
const partsOfKind: Readonly<Record<RecordKind, readonly Part[]>> = {
  program: ['objects'],
  brand: ['objects'],
  location: ['objects'],
  card: ['objects'],
  offer: ['objects'],
  payment: ['objects', 'clearings'],
  hook: [],
  notification: ['notifications'],
  clock: ['clock'],
}

/** Creates the report of changes, one for each burst. */
export function createSandboxChanges(report: (parts: Part[]) => void) {
  let parts = new Set<Part>()
  const changed = throttle(
    () => {
      const reported = [...parts]
      parts = new Set()
      report(reported)
    },
    { first: 'later' },
  )

  return {
    note(kind: RecordKind) {
      for (const part of partsOfKind[kind]) {
        parts.add(part)
        changed()
      }
    },
    close: changed.stop,
  }
}
