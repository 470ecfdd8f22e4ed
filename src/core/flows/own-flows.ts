/** The user's own flows, which the setup file names. */
import { z } from 'zod'
import type { Log } from '../base/deps.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'

const ownFlowSchema = z.object({
  name: z.string(),
  /** Path of the file, relative to the setup's folder. */
  path: z.string(),
  text: z.string(),
})
export type OwnFlow = z.infer<typeof ownFlowSchema>

export const OWN_FLOWS = 'flows.own'

export class OwnFlows {
  readonly #deps: { readonly store: Pick<Store, 'read'>; readonly log: Log }
  #flows: readonly OwnFlow[] = []

  constructor(deps: { readonly store: Pick<Store, 'read'>; readonly log: Log }) {
    this.#deps = deps
  }

  list(): readonly OwnFlow[] {
    return this.#flows
  }

  /** Reads the stored flows. */
  async reload(): Promise<void> {
    const { store, log } = this.#deps
    const stored = await readJsonSetting(store, OWN_FLOWS, z.array(ownFlowSchema), (reason) =>
      log.warn("Your own flows can't be read. Apply countersign.json again.", { reason }),
    )
    this.#flows = stored ?? []
  }
}
