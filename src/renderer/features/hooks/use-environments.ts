/** The environments that forms of hooks offer. */
import { useApp } from '../../ui-state/use-app.ts'

export function useHookEnvironments() {
  const environments = useApp((state) => state.core.environments)
  return {
    /** The environment that new hooks belong to, unless another is chosen. */
    current: (environments.find(({ current }) => current) ?? environments[0])?.name ?? '',
    urlOf: (name: string) => environments.find((one) => one.name === name)?.baseUrl,
    isLive: ({ environment }: { readonly environment?: string | undefined }) =>
      environments.some(({ name, mode }) => name === environment && mode === 'live'),
  }
}
