/** Consent that the window's user has given: read once, stored, and announced when it changes. */
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

/** Name of the row that holds them all. */
const CONSENTS = 'consents'

/** Loads the consent of a data folder. */
export async function openConsents(deps: ConsentsDeps): Promise<Consents> {
  const stored = await readJsonSetting(deps.store, CONSENTS, z.array(keptConsentSchema), (reason) =>
    deps.log.warn("The stored consent can't be read. The window asks again.", { reason }),
  )
  return new Consents(deps, stored ?? [])
}

/** The consent of a data folder: for each remote host and live environment at most one. */
export class Consents {
  readonly #deps: ConsentsDeps
  readonly #exclusive = createMutex()
  #kept: readonly KeptConsent[]

  constructor(deps: ConsentsDeps, kept: readonly KeptConsent[]) {
    this.#deps = deps
    this.#kept = kept
  }

  /** Returns all, oldest first. */
  list = (): KeptConsent[] => [...this.#kept]

  /** Returns the consent of the window's calls, and of its saved forwarding targets. */
  current = (): Consent => {
    const names = (about: KeptConsent['about']) =>
      this.#kept.flatMap((one) => (one.about === about ? [one.name] : []))
    return { allowHosts: names('host'), live: names('environment') }
  }

  /** Keeps consent to these subjects; earlier consent stays unchanged. */
  give(subjects: readonly ConsentSubject[]): Promise<void> {
    const givenAt = new Date(this.#deps.clock.now()).toISOString()
    return this.#change((kept) => [
      ...kept,
      ...subjects
        .filter(({ about, name }) => !kept.some((one) => one.about === about && one.name === name))
        .map((subject) => ({ ...subject, givenAt })),
    ])
  }

  /** Revokes consent: all, or that to some subjects. Returns the revoked. */
  async forget({ about, name }: { [K in keyof ConsentSubject]?: ConsentSubject[K] | undefined }) {
    const isMeant = (one: KeptConsent) =>
      (about ?? one.about) === one.about && (name ?? one.name) === one.name
    const revoked = this.#kept.filter(isMeant)
    await this.#change((kept) => kept.filter((one) => !isMeant(one)))
    return revoked
  }

  /** Makes one change at a time. */
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
