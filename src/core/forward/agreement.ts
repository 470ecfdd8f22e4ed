/** What a target is kept with: a name of its own, and the hosts and live environments that were agreed to, each by name. */
import type { ForwardSettings } from '../../shared/model/forward.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import type { StoredTarget } from '../store/forward-targets-repo.ts'
import type { CheckedTarget } from './target-rules.ts'

export interface ForwardConsent {
  readonly allowHosts: readonly string[]
  /** Confirms the live environments that the route reaches. */
  readonly live: boolean
}

const WHAT = 'passing its deliveries on'

/** A name of its own, after the host, where none was given. `takenNames`: of all targets. */
export function named(settings: ForwardSettings, takenNames: readonly string[]): ForwardSettings {
  if (settings.name !== '') return settings
  const base = URL.canParse(settings.url) ? new URL(settings.url).host : 'By hand'
  const taken = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = (number === 1 ? base : `${base} (${number})`).slice(-60)
    if (!taken.has(name.toLowerCase())) return { ...settings, name }
  }
}

/**
 * What was agreed to before, and what the route and the URL need now. `check` reads the settings with the hosts agreed to. Rejects
 * with what it found, or with `CONFIRMATION_REQUIRED`.
 */
export async function agreed(
  settings: ForwardSettings,
  before: Pick<StoredTarget['settings'], 'allowHosts' | 'liveEnvironments'>,
  { allowHosts, live }: ForwardConsent,
  check: (allowHosts: readonly string[]) => Promise<CheckedTarget>,
): Promise<StoredTarget['settings']> {
  const hosts = [...new Set([...before.allowHosts, ...allowHosts])]
  const { error, notAllowed, liveEnvironments } = await check(hosts)
  if (error !== null) throw error
  if (notAllowed !== null) throw notAllowed
  for (const name of liveEnvironments) confirmLive({ name, mode: 'live' }, live || before.liveEnvironments.includes(name), WHAT)
  return { ...settings, allowHosts: hosts, liveEnvironments }
}
