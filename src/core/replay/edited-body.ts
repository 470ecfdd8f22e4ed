/** The body of a replay with fields of its JSON set: the values as they were typed, all else byte for byte. */
import { AppError } from '../../shared/contract/errors.ts'
import { withLiteral } from '../../shared/body/json-literals.ts'
import { utf8Text } from '../../shared/body/utf8-text.ts'
import type { ReplayEdits } from '../../shared/model/replay-edits.ts'

/** Throws `INVALID_INPUT` if the body is not JSON, or has no object for one of the fields. */
export function editedBody(body: Uint8Array, { set }: Pick<ReplayEdits, 'set'>): Uint8Array {
  if (set === undefined) return body
  let text = utf8Text(body, false)
  for (const [path, literal] of Object.entries(set)) {
    text = text === null ? null : withLiteral(text, path, literal)
    if (text === null)
      throw new AppError('INVALID_INPUT', `Couldn't set ${path}: the body is not JSON with an object there. Check the path.`)
  }
  return Buffer.from(text ?? '')
}
