/** The environments that forms of hooks offer, and their programs. */
import { isOfSandbox } from '../../core-data/environments.ts'
import { useRead } from '../../core-data/use-read.ts'
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

/** Reads the programs of the sandbox's environments, with their names; the service lists none. */
export function useProgramsOf(environment: string) {
  const isOwn = isOfSandbox(environment)
  const { output, problem } = useRead(
    'sandbox.objects',
    isOwn ? { environment, kind: 'program' } : null,
  )
  const objects = output?.objects ?? []
  return {
    isRead: !isOwn || output !== undefined || problem !== null,
    ids: objects.map(({ id }) => id),
    nameOf: (programId: string | null | undefined) =>
      objects.find(({ id }) => id === programId)?.title,
  }
}
