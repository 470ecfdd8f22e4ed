/** The headers in the composer. */
import type { Environment } from '../../../shared/model/environment.ts'
import { headerProblem } from '../../../shared/http.ts'
import { listed } from '../../../shared/text/english.ts'
import { DEFAULT_PREFIX, headerNames } from '../../../shared/service/header-names.ts'
import { Code } from '../../ui/code.tsx'
import { headerLines, type Draft } from './draft.ts'

/** Whether a header has a signature or timestamp under any environment's prefix. */
function isHeader(
  kind: 'signature' | 'timestamp',
  name: string,
  environments: readonly Environment[],
): boolean {
  return [DEFAULT_PREFIX, ...environments.map(({ prefix }) => prefix)].some(
    (prefix) => headerNames(prefix)[kind] === name.toLowerCase(),
  )
}

export const isTimestamp = (name: string, environments: readonly Environment[]) =>
  isHeader('timestamp', name, environments)

/** Whether a header's value is replaced or left out on send. */
function isSetOnSend(
  name: string,
  { signature, timestamp }: Draft,
  environments: readonly Environment[],
): boolean {
  if (signature === 'keep') return false
  return (
    isHeader('signature', name, environments) ||
    (timestamp === 'now' && isTimestamp(name, environments))
  )
}

/** Edits the headers as text, one per line. */
export function HeadersEditor({
  draft,
  environments,
  onChange,
}: {
  readonly draft: Draft
  readonly environments: readonly Environment[]
  readonly onChange: (part: Partial<Draft>) => void
}) {
  const lines = headerLines(draft.headers)
  const computedLines = lines.filter(({ name }) => isSetOnSend(name, draft, environments))
  const problems = lines.flatMap((line) => {
    const message = computedLines.includes(line) ? null : headerProblem(line.name, line.value)
    return message === null ? [] : [{ at: line.at, message }]
  })
  return (
    <div className="flex h-full flex-col">
      <Code
        label="Headers"
        className="flex-1"
        text={draft.headers}
        json={false}
        onText={(headers) => onChange({ headers })}
        undoable
        problems={problems}
      />
      <p className="shrink-0 border-t border-line px-5 py-1.5 text-small text-muted">
        Host, Connection and Content-Length are set automatically.
        {computedLines.length > 0 &&
          ` ${listed(
            computedLines.map(({ name }) => name),
            'and',
          )} ${computedLines.length === 1 ? 'is' : 'are'} ${draft.signature === 'drop' ? 'set or omitted' : 'set'} on send.`}
      </p>
    </div>
  )
}
