/** Throw-away hooks and environments that stand for the real ones in a shareable capture. */
import type { KeyObject } from 'node:crypto'
import type { Hook } from '../../shared/model/hook.ts'
import { unlessRefused } from '../base/async.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { SharedSigner } from '../import-export/shared-signers.ts'
import { secretKey } from '../signature/sign.ts'
import type { Placeholders } from './placeholders.ts'
import { sharedUrl } from './shared-urls.ts'

/** Prefix of a secret, which mistakes leave out: `whsec_`, `sk_live_`. */
const SECRET_PREFIX = /^(?:[a-z]{2,10}_(?:test_|live_)?)?/i

export interface SignersDeps {
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all' | 'openKey'>
}

export class ThrowAwaySigners {
  readonly #deps: SignersDeps
  readonly #placeholders: Placeholders
  readonly #written = new Set<string>()
  readonly #keys = new Map<string, KeyObject>()

  constructor(deps: SignersDeps, placeholders: Placeholders) {
    this.#deps = deps
    this.#placeholders = placeholders
  }

  /** Returns the key that stands for a key. */
  keyFor(key: KeyObject): KeyObject {
    const secret = key.export().toString('utf8')
    const known = this.#keys.get(secret)
    if (known !== undefined) return known
    const made = secretKey(this.#secretFor(secret))
    this.#keys.set(secret, made)
    return made
  }

  environmentFor(name: string): string {
    return `shared-${this.#placeholders.hex(`environment ${name}`, 8)}`
  }

  /** Returns the lines of these hooks that were not yet written, or of all hooks. */
  async linesOf(ids: readonly string[] | 'all'): Promise<string[]> {
    const { environments, hooks } = this.#deps
    if (ids !== 'all' && ids.every((id) => this.#written.has(`hook ${id}`))) return []
    const listed = hooks.list().filter(({ id }) => ids === 'all' || ids.includes(id))
    const lines: SharedSigner[] = []
    for (const environment of environments.all()) {
      const isUsed = ids === 'all' || listed.some((hook) => hook.environment === environment.name)
      if (!isUsed || !this.#isNew(`environment ${environment.name}`)) continue
      const { mode, prefix, ack } = environment
      const key = await unlessRefused(environments.openKey(environment))
      const name = this.environmentFor(environment.name)
      lines.push({
        countersign: 1,
        sharedEnvironment: { name, mode, prefix, ack, key: key && this.#secretFor(key) },
      })
    }
    const fresh = listed.filter(({ id }) => this.#isNew(`hook ${id}`))
    return [...lines, ...fresh.map((hook) => this.#hookLine(hook))].map((line) =>
      JSON.stringify(line),
    )
  }

  #hookLine({ id, environment, event, url, programId, offerId, status }: Hook): SharedSigner {
    const idFor = (uuid: string | null) => uuid && this.#placeholders.text(uuid)
    return {
      countersign: 1,
      sharedHook: {
        environment: this.environmentFor(environment),
        event,
        url: sharedUrl(url, this.#placeholders),
        programId: idFor(programId),
        offerId: idFor(offerId),
        status,
        secrets: this.#deps.hooks
          .secretsOf(id)
          .map(({ key }) => this.keyFor(key).export().toString('utf8')),
      },
    }
  }

  #secretFor(secret: string): string {
    const [prefix] = SECRET_PREFIX.exec(secret) ?? ['']
    const rest = secret.slice(prefix.length)
    const made = this.#placeholders.text(rest)
    if (made !== rest) return prefix + made
    return this.#placeholders.hex(`secret ${secret}`, 32)
  }

  #isNew(name: string): boolean {
    const isNew = !this.#written.has(name)
    this.#written.add(name)
    return isNew
  }
}
