/**
 * A sending call from a form that may first need confirmation of a remote host or a live environment. A host is confirmed once
 * while the form is open, a live environment before each call.
 */
import { useRef, useState } from 'react'
import { questionOf, type ConsentQuestion } from '../state/consent-question.ts'
import { outcomeOf, type CallProblem } from './call-problem.ts'
import { useOutcome } from './use-outcome.ts'

/** Forms send few requests, so their number needs no confirmation. */
export type FormQuestion = Exclude<ConsentQuestion, { readonly about: 'count' }>

export interface Consented {
  readonly allowHosts: string[]
  readonly live: boolean
}

type Call = (consent: Consented) => Promise<unknown>

export interface Consents {
  readonly busy: boolean
  readonly problem: CallProblem | null
  readonly question: FormQuestion | null
  begin(call: Call): void
  /** Confirms the question and calls again. */
  agree(): void
  /** Dismisses the question or the error. */
  clear(): void
}

interface Pending extends Consented {
  readonly call: Call
  readonly question: FormQuestion
}

export function useConsents(): Consents {
  const { busy, problem, run, clear } = useOutcome()
  const [hosts, setHosts] = useState<string[]>([])
  const [pending, setPending] = useState<Pending | null>(null)
  /** The call in progress. Null if the form has changed since, because a question from that call would be about the old draft. */
  const underWay = useRef<Call | null>(null)
  const attempt = async (call: Call, consent: Consented) => {
    underWay.current = call
    const asked = await run(() =>
      outcomeOf(
        call(consent).then(
          () => null,
          (error: unknown) => {
            const question = questionOf(error)
            if (question === null || question.about === 'count') throw error
            return question
          },
        ),
      ),
    )
    if (underWay.current !== call) return
    underWay.current = null
    setPending(asked === null ? null : { ...consent, call, question: asked })
  }
  return {
    busy,
    problem,
    question: pending?.question ?? null,
    begin(call) {
      // One at a time: the first may be about to send.
      if (busy || underWay.current !== null) return
      setPending(null)
      void attempt(call, { allowHosts: hosts, live: false })
    },
    agree() {
      if (pending === null) return
      const { question, call, live } = pending
      const allowHosts =
        question.about === 'host' ? [...pending.allowHosts, question.host] : pending.allowHosts
      setHosts(allowHosts)
      void attempt(call, { allowHosts, live: live || question.about === 'live' })
    },
    clear() {
      underWay.current = null
      setPending(null)
      clear()
    },
  }
}
