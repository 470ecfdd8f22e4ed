/** An environment's name with its mode; live stands out wherever it is named, by word, glyph and colour. */
import { Radio } from 'lucide-react'
import type { Mode } from '../../shared/model/delivery.ts'
import { visibleText } from './visible-text.ts'

export function ModeMark({ mode }: { readonly mode: Mode }) {
  if (mode === 'test') return <span className="shrink-0 text-small text-subtle">test</span>
  return (
    <span className="inline-flex h-[18px] shrink-0 items-center gap-1 rounded-small border border-warn px-1 text-tiny font-medium text-warn">
      <Radio size={11} aria-hidden />
      live
    </span>
  )
}

export function EnvironmentName({ name, mode }: { readonly name: string; readonly mode: Mode }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <span className="truncate" title={visibleText(name)}>
        {visibleText(name)}
      </span>
      <ModeMark mode={mode} />
    </span>
  )
}
