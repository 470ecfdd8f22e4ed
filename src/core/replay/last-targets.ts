/** Where the deliveries of each hook were last sent: the next one goes there unless another target is named. */
import { z } from 'zod'
import { createMutex } from '../base/mutex.ts'
import type { Store } from '../store/store.ts'

/** By hook; null: to its registered URL. Deliveries of no hook stand under the empty name. */
export type TargetsByHook = Readonly<Record<string, string | null>>

export interface LastTargets {
  read(): Promise<TargetsByHook>
  remember(hookIds: Iterable<string | null>, target: string | null): Promise<void>
}

const NAME = 'replay-targets'
const stored = z.record(z.string(), z.string().nullable())

export function createLastTargets(store: Pick<Store, 'read' | 'write'>): LastTargets {
  const exclusive = createMutex()
  const read = async (): Promise<TargetsByHook> => {
    const text = await store.read('setting', NAME)
    const parsed = text === null ? null : stored.safeParse(JSON.parse(text))
    return parsed?.success === true ? parsed.data : {}
  }
  return {
    read,
    remember: (hookIds, target) =>
      exclusive(async () => {
        const before = await read()
        const changed = [...hookIds].map((id) => id ?? '').filter((id) => !Object.hasOwn(before, id) || before[id] !== target)
        if (changed.length === 0) return
        const value = JSON.stringify({ ...before, ...Object.fromEntries(changed.map((id) => [id, target])) })
        await store.write('writeSetting', { name: NAME, value })
      }),
  }
}
