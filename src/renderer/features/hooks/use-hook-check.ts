/** Checks a hook while it is edited, and proposes its URL and program. */
import { useEffect, useRef, useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { useApp } from '../../state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { inputOfDraft, proposedProgram, type HookDraft } from './hook-form.ts'

const TYPING_PAUSE_MS = 300

interface HookAdvice {
  readonly findings: readonly Finding[]
  readonly warnings: readonly Finding[]
  /** Whether the result applies to the current draft. */
  readonly current: boolean
  readonly programs: readonly string[]
  readonly proposed: { readonly programId: string; readonly url: string }
}

interface Answer {
  readonly about: string
  readonly findings: readonly Finding[]
  readonly warnings: readonly Finding[]
}

export function useHookCheck(draft: HookDraft): HookAdvice {
  const checkHook = useApp((state) => state.hooks.check)
  const programsOf = useApp((state) => state.hooks.programsOf)
  const [programs, setPrograms] = useState<{ environment: string; ids: readonly string[] } | null>(
    null,
  )
  // The proposed URL has a random part, so keep one per event to avoid it changing while typing.
  const [address, setAddress] = useState<{ event: string; url: string } | null>(null)
  const [answer, setAnswer] = useState<Answer>({ about: '', findings: [], warnings: [] })

  useEffect(() => {
    let wanted = true
    void programsOf(draft.environment).then((ids) => {
      if (wanted) setPrograms({ environment: draft.environment, ids })
    })
    return () => {
      wanted = false
    }
  }, [draft.environment, programsOf])

  const asked = useRef(false)
  const known = programs?.environment === draft.environment ? programs.ids : []
  const proposed = {
    programId: proposedProgram(known),
    url: address?.event === draft.event ? address.url : '',
  }
  const about = JSON.stringify(inputOfDraft(draft, proposed))
  const { event } = draft
  const programsRead = programs?.environment === draft.environment
  useEffect(() => {
    if (!programsRead) return
    const ending = new AbortController()
    // Nobody is typing yet when the form opens, so check immediately.
    const pause = asked.current ? TYPING_PAUSE_MS : 0
    asked.current = true
    const timer = setTimeout(() => {
      const input = JSON.parse(about) as InputOf<'hooks.check'>
      void checkHook(input, ending.signal).then((checked) => {
        if (checked === null || ending.signal.aborted) return
        setAnswer({ about, findings: checked.findings, warnings: checked.warnings })
        if (input.url === undefined) setAddress({ event, url: checked.url })
      })
    }, pause)
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [about, event, programsRead, checkHook])

  return {
    findings: answer.findings,
    warnings: answer.warnings,
    current: answer.about === about,
    programs: known,
    proposed,
  }
}
