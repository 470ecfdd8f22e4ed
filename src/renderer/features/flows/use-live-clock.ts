/** The run that is shown, its business clock gone on since it was last told: at a finite speed it goes as steadily as the wall's. */
import { useEffect, useState } from 'react'
import type { FlowRun } from '../../../shared/model/flow-run.ts'

const TICK_MS = 250

/** How many milliseconds of business time pass in one of the wall clock; 0 where it stands, or leaps. */
export function livePace({ state, speed, target }: Pick<FlowRun, 'state' | 'speed' | 'target'>): number {
  if (state !== 'running') return 0
  if (target === 'account') return 1
  return speed === 'max' ? 0 : speed
}

export function useLiveClock(run: FlowRun | null): FlowRun | null {
  /** How long ago it was told, counted from which telling. */
  const [tick, setTick] = useState({ told: '', passed: 0 })
  const pace = run === null ? 0 : livePace(run)
  const told = run?.clock ?? null
  const toldAt = told?.at ?? ''
  useEffect(() => {
    if (pace === 0 || toldAt === '') return undefined
    const startedAt = performance.now()
    const timer = setInterval(() => {
      setTick({ told: toldAt, passed: performance.now() - startedAt })
    }, TICK_MS)
    return () => {
      clearInterval(timer)
    }
  }, [pace, toldAt])
  if (run === null || told === null || pace === 0) return run
  const passed = tick.told === toldAt ? tick.passed : 0
  const ahead = (iso: string, ms: number) => new Date(Date.parse(iso) + ms).toISOString()
  return { ...run, clock: { at: ahead(told.at, passed), businessAt: ahead(told.businessAt, passed * pace) } }
}
