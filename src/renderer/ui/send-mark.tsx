/** What came of a send, as a glyph and a word. */
import { lookOfSend, type ShownSend } from '../../shared/model/outcomes.ts'
import { OutcomeMark } from './outcome-mark.tsx'

export function SendMark({ send }: { readonly send: ShownSend }) {
  return <OutcomeMark outcome={lookOfSend(send)} />
}
