import { z } from 'zod'
import {
  type Consent,
  type ConsentSubject,
  type KeptConsent,
  keptConsentSchema,
} from '../../shared/model/consent.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'

interface ConsentsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

const CONSENTS = 'consents'

export async function openConsents(deps: ConsentsDeps): Promise<Consents> {
  const stored = await readJsonSetting(deps.store, CONSENTS, z.array(keptConsentSchema), (reason) =>
    deps.log.warn("The stored consent can't be read. The window asks again.", { reason }),
  )
  return new Consents(deps, stored ?? [])
}

/** Consent of the window's user for remote hosts and live environments. */
export class Consents {
  readonly #deps: ConsentsDeps
  readonly #exclusive = createMutex()
  #kept: readonly KeptConsent[]

  constructor(deps: ConsentsDeps, kept: readonly KeptConsent[]) {
    this.#deps = deps
    this.#kept = kept
  }

  list = (): KeptConsent[] => [...this.#kept]

  /** Returns the consent for calls and saved forwarding targets. */
  current = (): Consent => {
    const namesOf = (about: KeptConsent['about']) =>
      this.#kept.flatMap((one) => (one.about === about ? [one.name] : []))
    return { allowHosts: namesOf('host'), live: namesOf('environment') }
  }

  give(subjects: readonly ConsentSubject[]): Promise<void> {
    const givenAt = new Date(this.#deps.clock.now()).toISOString()
    return this.#change((kept) => [
      ...kept,
      ...subjects
        .filter(({ about, name }) => !kept.some((one) => one.about === about && one.name === name))
        .map((subject) => ({ ...subject, givenAt })),
    ])
  }

  /** Revokes consent and returns it. */
  async forget({ about, name }: { [K in keyof ConsentSubject]?: ConsentSubject[K] | undefined }) {
    const isRevoked = (one: KeptConsent) =>
      (about ?? one.about) === one.about && (name ?? one.name) === one.name
    const revoked = this.#kept.filter(isRevoked)
    await this.#change((kept) => kept.filter((one) => !isRevoked(one)))
    return revoked
  }

  #change(next: (kept: readonly KeptConsent[]) => readonly KeptConsent[]): Promise<void> {
    return this.#exclusive(async () => {
      const kept = next(this.#kept)
      if (kept.length === this.#kept.length) return
      await this.#deps.store.write('writeSetting', { name: CONSENTS, value: JSON.stringify(kept) })
      this.#kept = kept
      this.#deps.hub.emit('consent.changed', { consents: this.list() })
    })
  }
}
