import { useAppParts } from '../../ui-state/use-app.ts'

/** Returns the URL that hooks are registered under, and the tunnel that may lead there. */
export function useHookUrl() {
  return useAppParts(({ core }) => {
    const receiver = core.status?.receiver ?? null
    return { receiver, tunnel: core.tunnel, url: receiver?.publicUrl ?? receiver?.url ?? null }
  })
}
