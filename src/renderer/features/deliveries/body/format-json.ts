/** The formatted text of a JSON body, for copying; null where it is not JSON. Every token is as it was sent. */
import { layOutJson } from './json-rows.ts'
import { jsonRowText } from './row-tokens.ts'

export function formatJson(text: string): string | null {
  const layout = layOutJson(text, Number.POSITIVE_INFINITY)
  if (layout.outcome !== 'json') return null
  const lines: string[] = []
  for (let index = 0; index < layout.rows.count; index++) lines.push(jsonRowText(text, layout.rows, index))
  return lines.join('\n')
}
