/** The status of a target: glyph, word, color. */
import type { ForwardLight } from '../../../shared/model/forward.ts'
import { targetLights } from '../../../shared/model/outcomes.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { meanings } from './target-words.ts'

export function LightMark({ light, large = false }: { readonly light: ForwardLight; readonly large?: boolean }) {
  return <OutcomeMark outcome={targetLights[light]} large={large} title={meanings[light]} />
}
