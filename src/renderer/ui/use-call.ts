/** Calls of a form, one at a time: progress, and the reason of the last failure. */
import { useEffect, useRef, useState } from 'react'
import type { CommandName, InputOf } from '../../shared/contract/contract.ts'
import { useData } from '../core-data/use-read.ts'
import { settleCall, type CallProblem, type CallResult } from './call-problem.ts'

/** Returns a function that calls a command for a form, which shows why the call failed. */
export function useCall() {
  const { client } = useData()
  return <K extends CommandName>(command: K, input: InputOf<K>) =>
    settleCall(client.call(command, input))
}

export interface CallState {
  readonly busy: boolean
  readonly problem: CallProblem | null
  /** Resolves with the value; null if the call failed (see `problem`) or the form was closed. */
  run<T>(call: () => Promise<CallResult<T>>): Promise<T | null>
  clear(): void
}

export function useCallState(): CallState {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem | null>(null)
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])
  return {
    busy,
    problem,
    async run(call) {
      setBusy(true)
      setProblem(null)
      const outcome = await call()
      if (!mounted.current) return null
      setBusy(false)
      if (outcome.ok) return outcome.value
      setProblem(outcome.problem)
      return null
    },
    clear() {
      setProblem(null)
    },
  }
}
