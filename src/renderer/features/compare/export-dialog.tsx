/** Exports the differences as text, Markdown or JSON Patch, to copy or save. */
import { useEffect, useState } from 'react'
import { headerRows } from '../../../shared/diff/compare-bodies.ts'
import {
  countRows,
  countSentence,
  type DiffRow,
  type VolatileFields,
} from '../../../shared/diff/rows.ts'
import { writeMarkdown, writeText, type Written } from '../../../shared/diff/written.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { saveBytes } from '../../ui/save.ts'
import { Segments } from '../../ui/segments.tsx'
import { compareInWorker } from './compare-in-worker.ts'
import { sideTitle, type Side } from './sides.ts'
import type { ComparedSides } from './use-comparison.ts'

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'patch', label: 'JSON Patch' },
] as const
type Format = (typeof formats)[number]['value']

const endings: Readonly<Record<Format, string>> = { text: 'txt', markdown: 'md', patch: 'json' }
/** Characters shown of a long export; copying and saving include all. */
const SHOWN = 20_000

export function CompareExportDialog({
  left: { side: left },
  right: { side: right },
  volatile,
}: ComparedSides) {
  return (
    <OverlayDialog
      overlay="compare-export"
      ready={left !== null && right !== null}
      title="Export differences"
      wide
    >
      {() =>
        left !== null && right !== null && <Export left={left} right={right} volatile={volatile} />
      }
    </OverlayDialog>
  )
}

interface Sides {
  readonly left: Side
  readonly right: Side
  readonly volatile: VolatileFields
}

function Export({ left, right, volatile }: Sides) {
  const [format, setFormat] = useState<Format>('text')
  const [done, setDone] = useState<{
    readonly format: Format
    readonly text: string | null
  } | null>(null)
  useEffect(() => {
    let wanted = true
    void write(format, { left, right, volatile }).then((text) => {
      if (wanted) setDone({ format, text })
    })
    return () => {
      wanted = false
    }
  }, [format, left, right, volatile])
  const written = done?.format === format ? done : null
  const text = written?.text ?? null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Segments label="Format" options={formats} value={format} onChange={setFormat} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          {format === 'patch'
            ? 'A to B, RFC 6902. Includes moves and ignored fields.'
            : 'Without ignored fields'}
        </span>
        {text !== null && (
          <>
            <CopyButton text={text} label="Copy export" caption="Copy" />
            <Button
              kind="quiet"
              onClick={() =>
                saveBytes(new TextEncoder().encode(text), `difference.${endings[format]}`)
              }
            >
              Save
            </Button>
          </>
        )}
      </div>
      {written === null || text !== null ? (
        <pre
          tabIndex={0}
          aria-label="Exported text"
          className="data h-[46vh] overflow-auto rounded-control border border-line bg-ground px-3 py-2 wrap-anywhere whitespace-pre-wrap"
        >
          {text === null ? '' : text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text}
        </pre>
      ) : (
        <p role="alert" className="text-muted">
          A JSON Patch needs two JSON bodies. Export as text instead.
        </p>
      )}
    </div>
  )
}

async function write(format: Format, sides: Sides): Promise<string | null> {
  const { left, right, volatile } = sides
  if (format === 'patch') {
    if (left.text === null || right.text === null) return null
    const patch = await compareInWorker({ what: 'patch', left: left.text, right: right.text })
    return patch === 'too-long' ? null : patch
  }
  const parts: Written['parts'][number][] = []
  const add = (name: string, rows: readonly DiffRow[]) =>
    parts.push({ name, sentence: countSentence(countRows(rows)), rows })
  if (left.text !== null && right.text !== null) {
    const texts = { left: left.text, right: right.text }
    const structure = await compareInWorker({ what: 'structure', ...texts, volatile })
    if (structure !== 'too-long' && structure.outcome === 'json') add('Body', structure.rows)
    else {
      const lines = await compareInWorker({ what: 'text', ...texts })
      if (lines !== 'too-long') add('Body', lines.rows)
    }
  }
  if (left.kind === 'delivery' && right.kind === 'delivery')
    add('Headers', headerRows(left.delivery.headers, right.delivery.headers, volatile))
  const written: Written = { leftTitle: sideTitle(left), rightTitle: sideTitle(right), parts }
  return format === 'text' ? writeText(written) : writeMarkdown(written)
}
