/** What the sandbox has, for its screen. Events keep it up to date. */
import { useRead } from '../../data/use-read.ts'

/** The sandbox keeps this many finished notifications. */
const NOTIFICATIONS_READ = 500

/** The objects of both environments, oldest first; null until loaded. */
export function useObjects() {
  return useRead('sandbox.objects', {}).output?.objects ?? null
}

/** The notifications of both environments, newest first; null until loaded. */
export function useNotifications() {
  const { output } = useRead('sandbox.notifications', { limit: NOTIFICATIONS_READ })
  return output?.notifications ?? null
}

/** The scheduled clearings, soonest first. */
export function useClearings() {
  return useRead('sandbox.clearings', {}).output?.clearings ?? NONE
}

const NONE: readonly never[] = []

/** The state of the sandbox's clock with the real time when it was read, in milliseconds; null until loaded. */
export function useClockReading() {
  const { output, readAt } = useRead('sandbox.clock', {})
  return output === undefined ? null : { state: output, readAt }
}
