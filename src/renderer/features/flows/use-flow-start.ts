/** Begins a run, and holds what has to be agreed to first: a host, or a live environment. */
import { useState } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import type { FlowAsked, FlowQuestion } from './flow-start.ts'

type Way = Pick<FlowAsked, 'paused' | 'from'> & { readonly step: boolean }

export interface FlowStart {
  readonly busy: boolean
  readonly problem: CallProblem | null
  readonly question: FlowQuestion | null
  start(way: Way): void
  /** Agrees to the question, and goes on. */
  agree(): void
  /** Drops the question, or what was refused. */
  clear(): void
}

interface Pending extends FlowAsked {
  readonly step: boolean
}

export function useFlowStart(): FlowStart {
  const startFlow = useAppParts((state) => ({ startFlow: state.startFlow })).startFlow
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem | null>(null)
  const [question, setQuestion] = useState<FlowQuestion | null>(null)
  const [pending, setPending] = useState<Pending>({ paused: false, from: 0, step: false, allowHosts: [], live: false })
  const [hosts, setHosts] = useState<readonly string[]>([])
  const clear = () => {
    setProblem(null)
    setQuestion(null)
  }
  const begin = async (asked: Pending) => {
    clear()
    setBusy(true)
    setPending(asked)
    const started = await startFlow(asked)
    setBusy(false)
    if (started.ok) return
    if ('question' in started) setQuestion(started.question)
    else setProblem(started.problem)
  }
  return {
    busy,
    problem,
    question,
    start(way) {
      void begin({ ...way, allowHosts: hosts, live: false })
    },
    agree() {
      if (question === null) return
      const allowHosts = question.about === 'host' ? [...pending.allowHosts, question.host] : pending.allowHosts
      setHosts(allowHosts)
      void begin({ ...pending, allowHosts, live: pending.live || question.about === 'live' })
    },
    clear,
  }
}
