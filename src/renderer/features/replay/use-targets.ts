/** The targets that can be chosen from: where deliveries of a hook went last, and all that were given lately. */
import { useEffect, useState } from 'react'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { useApp } from '../../state/use-app.ts'

export type Targets = OutputOf<'replay.targets'>

/** Null until they are known. */
export function useTargets(): Targets | null {
  const readTargets = useApp((state) => state.replay.readTargets)
  const [targets, setTargets] = useState<Targets | null>(null)
  useEffect(() => {
    let wanted = true
    void readTargets().then((read) => {
      if (wanted) setTargets(read)
    })
    return () => {
      wanted = false
    }
  }, [readTargets])
  return targets
}
