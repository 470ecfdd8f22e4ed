/** The authority of the endpoint that a form sends to: the one kept for it until another is typed, and kept once it was sent with. */
import { useState } from 'react'
import { authorityOf, authorityOrigin } from '../state/authorities-slice.ts'
import { useAppParts } from '../state/use-app.ts'

export interface TargetAuthority {
  /** As it stands in the field. */
  readonly value: string
  /** As a call takes it. */
  readonly targetCa: string | null
  readonly change: (value: string) => void
  /** Keeps it with the endpoint, once a call has taken it. */
  readonly remember: () => void
}

/** `target`: the address that is typed, or that stands for none; empty where it is not known. */
export function useTargetAuthority(target: string): TargetAuthority {
  const { kept, rememberAuthority } = useAppParts((state) => ({
    kept: authorityOf(state.authorities, target),
    rememberAuthority: state.authorities.remember,
  }))
  const [typed, setTyped] = useState<{ readonly origin: string | null; readonly value: string } | null>(null)
  const origin = authorityOrigin(target)
  // What was typed before the address was whole is for it; what is kept for another address is not.
  const value = typed !== null && (typed.origin === origin || kept === null) ? typed.value : (kept ?? '')
  const isPlain = URL.parse(target.trim())?.protocol === 'http:'
  const targetCa = isPlain || value.trim() === '' ? null : value
  return {
    value,
    targetCa,
    change: (text) => {
      setTyped({ origin, value: text })
    },
    remember: () => {
      rememberAuthority(target, targetCa)
    },
  }
}
