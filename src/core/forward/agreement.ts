/** What a target is kept with: a name of its own, and the hosts and live environments that were agreed to, each by name. */
import type { ForwardSettings } from '../../shared/model/forward.ts'
import { FORWARDING } from '../outgoing/admit.ts'
import type { StoredTarget } from '../store/forward-repo.ts'
import { checkForwardTarget, type CheckedTarget, type TargetRulesDeps } from './target-rules.ts'

export interface ForwardConsent {
  readonly allowHosts: readonly string[]
  /** Confirms the live environments that the route reaches. */
  readonly live: boolean
}

export interface CheckOptions {
  /** The target that is changed: its own name is not taken. */
  readonly id: string | undefined
  readonly allowHosts: readonly string[]
}

export interface Agreement {
  /** What speaks against a target, and what has to be agreed to. */
  check(settings: ForwardSettings, options: CheckOptions): Promise<CheckedTarget>
  /**
   * Settings as they are kept: named, with what was agreed to before (`before`: the target that is changed) and is now. Rejects with
   * what speaks against them, or with `CONFIRMATION_REQUIRED`.
   */
  agree(settings: ForwardSettings, before: StoredTarget | null, consent: ForwardConsent): Promise<StoredTarget['settings']>
}

export interface AgreementDeps extends Pick<TargetRulesDeps, 'admission' | 'readRoute' | 'hooks'> {
  targets(): readonly StoredTarget[]
}

/** A name of its own, after the host, where none was given. */
function named(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
  if (settings.name !== '') return settings
  const base = URL.canParse(settings.url) ? new URL(settings.url).host : 'By hand'
  const taken = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = (number === 1 ? base : `${base} (${number})`).slice(-60)
    if (!taken.has(name.toLowerCase())) return { ...settings, name }
  }
}

export function createAgreement({ targets, ...rules }: AgreementDeps): Agreement {
  const namesBut = (but: string | undefined) => targets().flatMap(({ id, settings }) => (id === but ? [] : [settings.name]))

  const check: Agreement['check'] = (settings, { id, allowHosts }) =>
    checkForwardTarget(settings, allowHosts, { ...rules, takenNames: () => namesBut(id) })

  return {
    check,
    async agree(settings, before, { allowHosts, live }) {
      const whole = named(settings, namesBut(undefined))
      const hosts = [...new Set([...(before?.settings.allowHosts ?? []), ...allowHosts])]
      const { error, notAllowed, hookIds, liveEnvironments } = await check(whole, { id: before?.id, allowHosts: hosts })
      if (error !== null) throw error
      if (notAllowed !== null) throw notAllowed
      const { url, targetCa } = whole
      await rules.admission.admit(
        { targets: url === '' ? [] : [url], targetCa, signers: { hookIds }, what: FORWARDING },
        { allowHosts: hosts, live: live || (before?.settings.liveEnvironments ?? []) },
      )
      return { ...whole, allowHosts: hosts, liveEnvironments }
    },
  }
}
