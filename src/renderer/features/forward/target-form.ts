/** A target as a form holds it, and what is asked of the core with it. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { ForwardAnswer, ForwardSign, ForwardTarget } from '../../../shared/model/forward.ts'
import type { ForwardCheck } from './forward-slice.ts'

/** Empty texts stand for what is not given. */
export interface TargetDraft {
  readonly name: string
  readonly url: string
  readonly query: string
  readonly answer: ForwardAnswer
  readonly sign: ForwardSign
  readonly registeredUrl: string
  readonly targetCa: string
  readonly on: boolean
}

/** So long a name may be for the core. */
const LONGEST_NAME = 60

/** What can be said of the name before the core is asked. */
export function wrongName({ name }: TargetDraft): ForwardCheck['findings'] {
  const { length } = name.trim()
  if (length <= LONGEST_NAME) return []
  return [{ field: 'name', message: `Use at most ${LONGEST_NAME} characters (${length} now).` }]
}

export const newTarget: TargetDraft = {
  name: '',
  url: '',
  query: '',
  answer: 'rule',
  sign: 'now',
  registeredUrl: '',
  targetCa: '',
  on: true,
}

export function draftOfTarget(target: ForwardTarget): TargetDraft {
  const { name, url, query, answer, sign, registeredUrl, targetCa, on } = target
  return { name, url, query, answer, sign, registeredUrl: registeredUrl ?? '', targetCa: targetCa ?? '', on }
}

export function settingsOf({ registeredUrl, targetCa, ...rest }: TargetDraft): InputOf<'forward.add'> {
  return {
    ...rest,
    query: rest.query.trim(),
    // What goes as it came is not signed for a URL.
    registeredUrl: registeredUrl.trim() === '' || rest.sign === 'as-received' ? null : registeredUrl.trim(),
    // Plain HTTP shows no certificate.
    targetCa: targetCa.trim() === '' || /^http:/i.test(rest.url.trim()) ? null : targetCa,
  }
}
