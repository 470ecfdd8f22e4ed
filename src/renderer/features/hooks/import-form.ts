/** A hook that was made elsewhere, while it is typed in. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Finding } from '../../ui/call-problem.ts'

export interface ImportDraft {
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly environment: string
  readonly programId: string
  readonly offerId: string
  readonly remoteId: string
}

export function newImport(environment: string): ImportDraft {
  return { event: 'transaction.auth', url: '', secret: '', environment, programId: '', offerId: '', remoteId: '' }
}

/** What records it; `live` confirms it for a live environment. A secret is kept to the letter: a space in it may be meant. */
export function inputOfImport(draft: ImportDraft, live = false): InputOf<'hooks.import'> {
  const filledIn = (name: 'environment' | 'programId' | 'offerId' | 'remoteId') => {
    const value = draft[name].trim()
    return value === '' ? {} : { [name]: value }
  }
  return {
    event: draft.event.trim(),
    url: draft.url.trim(),
    secret: draft.secret,
    live,
    ...filledIn('environment'),
    ...filledIn('programId'),
    ...filledIn('offerId'),
    ...filledIn('remoteId'),
  }
}

const required = [
  { field: 'event', message: 'Name the event that the hook is registered for.' },
  { field: 'url', message: 'Give the URL exactly as it is registered.' },
  { field: 'secret', message: 'Give the hook’s secret: signatures are checked with it.' },
] as const

/** What is missing before it can be recorded. */
export function missingOfImport(draft: ImportDraft): readonly Finding[] {
  const input = inputOfImport(draft)
  return required.filter(({ field }) => input[field] === '').map((missing) => ({ ...missing, rule: '', section: '' }))
}
