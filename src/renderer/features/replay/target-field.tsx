/** Where to: an address of one's own, or the registered URL of the hook; with what kind of host that is. */
import { useId } from 'react'
import { targetKind } from '../../../shared/http/target-kind.ts'
import { useAppParts } from '../../state/use-app.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'
import { targetWords } from './target-words.ts'

export interface TargetFieldProps {
  /** Empty: the registered URL of each delivery's hook. */
  readonly target: string
  readonly onTarget: (target: string) => void
  /** The registered URL, where all deliveries have the same one. */
  readonly registered: string | null
  readonly recent: readonly string[]
}

export function isTarget(target: string): boolean {
  return target.trim() === '' || targetKind(target.trim(), null) !== 'none'
}

export function TargetField({ target, onTarget, registered, recent }: TargetFieldProps) {
  const { receiver } = useAppParts((state) => ({ receiver: state.core.status?.receiver.url ?? null }))
  const given = target.trim()
  const kind = targetKind(given === '' ? (registered ?? '') : given, receiver)
  const name = useId()
  // The dialogs that it stands in begin with it; they have it a moment after they open.
  const first = useFirstFocus<HTMLInputElement>()
  const words = kind === 'none' ? '' : targetWords[kind]
  const hint =
    given === ''
      ? registered === null
        ? 'Empty: each goes to the registered URL of its hook.'
        : `Empty: the hook’s registered URL, ${registered}. ${words}`
      : words
  return (
    <TextField
      ref={first}
      name={name}
      label="Send to"
      value={target}
      onChange={onTarget}
      placeholder={registered ?? 'the registered URL of each hook'}
      suggestions={[...new Set([...recent, ...(registered === null ? [] : [registered])])]}
      hint={hint}
      problem={isTarget(target) ? undefined : 'A whole URL, for example http://127.0.0.1:3000/webhooks.'}
    />
  )
}
