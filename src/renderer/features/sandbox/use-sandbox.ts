/** State of the sandbox and its place in the address. Events keep it up to date. */
import type { SandboxClockState } from '../../../shared/model/sandbox.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'

/** The sandbox keeps this many finished notifications. */
const NOTIFICATIONS_READ = 500
const NONE: readonly never[] = []

/**
 * Returns the shown view, environment, kind of objects, and the selected object or notification.
 */
export function useSandboxPlace() {
  const {
    view = 'trigger',
    mode = 'test',
    kind = 'transaction',
    id = null,
  } = useApp((state) => state.navigation.at.sandbox)
  return { view, mode, kind, id, environment: `sandbox-${mode}` } as const
}

/** Reads the objects of the shown environment, oldest first; null until loaded. */
export function useObjects() {
  const { environment } = useSandboxPlace()
  return useRead('sandbox.objects', { environment }).output?.objects ?? null
}

/** Reads the notifications of both environments, newest first; null until loaded. */
export function useNotifications() {
  const { output } = useRead('sandbox.notifications', { limit: NOTIFICATIONS_READ })
  return output?.notifications ?? null
}

/** Reads the scheduled clearings of both environments, soonest first. */
export function useClearings() {
  return useRead('sandbox.clearings', {}).output?.clearings ?? NONE
}

/** The sandbox clock's state at a real time, in milliseconds. */
export interface ClockReading {
  readonly state: SandboxClockState
  readonly readAt: number
}

/** Reads the clock; null until loaded. */
export function useClockReading(): ClockReading | null {
  const { output, readAt } = useRead('sandbox.clock', {})
  return output === undefined ? null : { state: output, readAt }
}
