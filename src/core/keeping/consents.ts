/** Consent that the window's user has given: read once, stored, and announced when it changes. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { type Consent, type KeptConsent, keptConsentSchema } from '../../shared/model/consent.ts'
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
  /** A host as a target has it; null if it isn't valid. */
  readHost(text: string): string | null
}

type Named = Omit<KeptConsent, 'givenAt'>

/** Name of the row that holds them all. */
const CONSENTS = 'consents'

/** Loads the consent of a data folder. */
export async function openConsents(deps: ConsentsDeps): Promise<Consents> {
  const stored = await readJsonSetting(deps.store, CONSENTS, z.array(keptConsentSchema), (reason) =>
    deps.log.warn("The kept consent can't be read. It is asked for again.", { reason }),
  )
  return new Consents(deps, stored ?? [])
}

export class Consents {
  readonly #deps: ConsentsDeps
  readonly #exclusive = createMutex()
  #kept: readonly KeptConsent[]

  constructor(deps: ConsentsDeps, kept: readonly KeptConsent[]) {
    this.#deps = deps
    this.#kept = kept
  }

  /** Oldest first. */
  list = (): KeptConsent[] => [...this.#kept]

  /** Consent of the window's calls, and of what the window has saved. */
  current = (): Consent => {
    const names = (about: KeptConsent['about']) =>
      this.#kept.flatMap((one) => (one.about === about ? [one.name] : []))
    return { allowHosts: names('host'), live: names('environment') }
  }

  /** Returns all that is kept. Rejects with `INVALID_INPUT` for a host that isn't valid. */
  async give(given: readonly Named[]): Promise<KeptConsent[]> {
    const { clock, readHost } = this.#deps
    const givenAt = new Date(clock.now()).toISOString()
    const added = given.map(({ about, name }) => {
      const host = about === 'host' ? readHost(name) : name
      if (host === null) throw new AppError('INVALID_INPUT', `"${name}" isn't a valid host.`)
      return { about, name: host, givenAt }
    })
    await this.#change((kept) => [
      ...kept,
      ...added.filter((one) => !kept.some((other) => isMeant(other, one))),
    ])
    return this.list()
  }

  /** Revokes consent: all, or what is named. Returns what was revoked. */
  forget = async (named: { readonly [K in keyof Named]?: Named[K] | undefined }) => {
    let revoked: KeptConsent[] = []
    await this.#change((kept) => {
      revoked = kept.filter((one) => isMeant(one, named))
      return kept.filter((one) => !isMeant(one, named))
    })
    return revoked
  }

  /** Changes follow each other, because each builds on the one before. */
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

/** Whether consent is what is named; what isn't named may be anything. */
function isMeant(
  { about, name }: Named,
  named: { readonly [K in keyof Named]?: Named[K] | undefined },
): boolean {
  return about === (named.about ?? about) && name === (named.name ?? name)
}
