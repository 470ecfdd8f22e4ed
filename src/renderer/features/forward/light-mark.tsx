/** The light of a target: glyph, word, colour. */
import type { ForwardLight } from '../../../shared/model/forward.ts'
import { lights } from './target-words.ts'

export function LightMark({ light, large = false }: { readonly light: ForwardLight; readonly large?: boolean }) {
  const { word, meaning, tone, Icon } = lights[light]
  return (
    <span
      title={meaning}
      className={`inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap ${tone} ${large ? 'text-title font-medium' : ''}`}
    >
      <Icon size={large ? 18 : 14} aria-hidden className="shrink-0" />
      {word}
    </span>
  )
}
