/** Sending from the composer: a captured request again, or a new one. */
import { useState } from 'react'
import { counted } from '../../../shared/text/english.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { useCallState } from '../../ui/use-call.ts'
import { composedOf, type Draft, type Original, type Pace, type requestOf } from './draft.ts'
import { tamperWords } from './signing-fields.tsx'

interface SentParts {
  readonly draft: Draft
  readonly original: Original | null
  readonly request: ReturnType<typeof requestOf>
  readonly deliveries: { readonly query: string } | { readonly ids: string[] }
  readonly targetCa: string | null
}

export function useComposerSends() {
  const { start: startReplay, sendComposed } = useParts('replay', 'start', 'sendComposed')
  const { busy, problem, run, clear } = useCallState()
  const [sentReplay, setSentReplay] = useState<string | null>(null)
  const [composed, setComposed] = useState<{ readonly id: string; readonly name: string } | null>(
    null,
  )
  return {
    busy,
    problem,
    clear,
    /** Last replay that was started from here. */
    sentReplay,
    /** Last new request that was sent from here. */
    composed,
    async sendCaptured(parts: SentParts & { readonly pace: Pace; readonly changeCount: number }) {
      const { draft, request, deliveries, targetCa, pace, changeCount } = parts
      const input = { ...deliveries, ...request, ...pace, targetCa }
      const replay = await run(() =>
        startReplay(input, sentWords(draft, changeCount, 'as captured')),
      )
      if (replay !== null) setSentReplay(replay.id)
      return replay !== null
    },
    /** Sends a new request; `takesName` takes its name from the one that has it. */
    async sendNew(
      parts: SentParts & { readonly hookId: string | null; readonly takesName: boolean },
    ) {
      const { draft, original, targetCa, hookId, takesName } = parts
      if (original === null) return false
      const request = composedOf(draft, original, hookId)
      const replace = request.name !== null && (takesName || draft.name === composed?.name)
      const input = { ...request, replace, targetCa }
      const sent = await run(() => sendComposed(input, sentWords(draft, 0, 'as written')))
      if (sent === null) return false
      setComposed({ id: sent.id, name: draft.name })
      setSentReplay(sent.replay.id)
      return true
    },
  }
}

/** Describes how a request differs from the captured one: `2 changes`, `Wrong secret`. */
function sentWords({ tamper, signature }: Draft, changeCount: number, unchanged: string): string {
  const words = [
    ...(tamper === null || signature !== 'recompute' ? [] : [tamperWords[tamper].label]),
    ...(changeCount === 0 ? [] : [counted(changeCount, 'change')]),
    ...(signature === 'keep' ? ['captured signature'] : []),
    ...(signature === 'drop' ? ['no signature'] : []),
  ]
  return words.length === 0 ? unchanged : words.join(', ')
}
