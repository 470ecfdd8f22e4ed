/** The draft of the target form and its input for the core. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { handlerNameIn, withScheme } from '../../../shared/http.ts'
import type { ForwardAnswer, ForwardSign, ForwardTarget } from '../../../shared/model/forward.ts'
import type { ForwardCheck } from './forward-slice.ts'

/** Empty strings mean not set. */
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

/** The core's limit for names. */
const LONGEST_NAME = 60

/** Checks the name before calling the core. */
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
  return {
    name,
    url,
    query,
    answer,
    sign,
    registeredUrl: registeredUrl ?? '',
    targetCa: targetCa ?? '',
    on,
  }
}

export function settingsOf({
  registeredUrl,
  targetCa,
  ...rest
}: TargetDraft): InputOf<'forward.add'> {
  // A saved handler brings its own.
  const isSaved = handlerNameIn(rest.url) !== null
  return {
    ...rest,
    query: rest.query.trim(),
    // Deliveries forwarded unchanged have no signed URL.
    registeredUrl:
      isSaved || registeredUrl.trim() === '' || rest.sign === 'as-received'
        ? null
        : registeredUrl.trim(),
    // Plain HTTP has no certificate.
    targetCa:
      isSaved || targetCa.trim() === '' || /^http:/i.test(withScheme(rest.url.trim()))
        ? null
        : targetCa,
  }
}
