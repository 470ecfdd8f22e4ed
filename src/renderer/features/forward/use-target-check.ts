/** Checks a target while it is edited and reports the consent it needs. */
import { useEffect, useRef, useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { useApp } from '../../state/use-app.ts'
import type { ForwardCheck } from './forward-slice.ts'
import { settingsOf, wrongName, type TargetDraft } from './target-form.ts'

const TYPING_PAUSE_MS = 300
const NOTHING: ForwardCheck = { findings: [], host: null, liveEnvironments: [] }

interface TargetAdvice extends ForwardCheck {
  /** Whether the result applies to the current draft. */
  readonly current: boolean
}

export function useTargetCheck(draft: TargetDraft, id: string | null, allowHosts: readonly string[]): TargetAdvice {
  const checkTarget = useApp((state) => state.forward.checkTarget)
  const [answer, setAnswer] = useState<{ readonly about: string; readonly check: ForwardCheck }>({ about: '', check: NOTHING })
  const asked = useRef(false)
  // Check the rest even if the name is too long: its own field reports that.
  const known = wrongName(draft).length === 0 ? draft : { ...draft, name: '' }
  const about = JSON.stringify({ ...settingsOf(known), ...(id === null ? {} : { id }), allowHosts })
  useEffect(() => {
    const ending = new AbortController()
    // Nobody is typing yet when the form opens, so check immediately.
    const pause = asked.current ? TYPING_PAUSE_MS : 0
    asked.current = true
    const timer = setTimeout(() => {
      void checkTarget(JSON.parse(about) as InputOf<'forward.check'>, ending.signal).then((check) => {
        if (check !== null && !ending.signal.aborted) setAnswer({ about, check })
      })
    }, pause)
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [about, checkTarget])
  return { ...answer.check, current: answer.about === about }
}
