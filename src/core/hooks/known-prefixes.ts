import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'
import type { Environments } from './environments.ts'

/** The prefixes under which captured headers may carry signature and timestamp: those of all environments, and the usual one. */
export function knownPrefixes(environments: Pick<Environments, 'all'>): readonly string[] {
  return [...new Set([DEFAULT_PREFIX, ...environments.all().map(({ prefix }) => prefix)])]
}
