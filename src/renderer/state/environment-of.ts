/** Finds environments as the core does: by name, or the current one. */
import type { Environment } from '../../shared/model/environment.ts'

export function environmentOf(
  environments: readonly Environment[],
): (name?: string) => Environment | undefined {
  return (wanted) =>
    environments.find(({ name, current }) => (wanted === undefined ? current : name === wanted))
}
