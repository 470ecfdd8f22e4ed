/** The dialog that exports a comparison. */
import { useEffect, useState } from 'react'
import { headerRows } from '../../../shared/diff/header-rows.ts'
import { countRows, countSentence, type DiffRow } from '../../../shared/diff/rows.ts'
import type { VolatileFields } from '../../../shared/diff/volatile-fields.ts'
import {
  writeMarkdown,
  writeText,
  type ComparisonText,
} from '../../../shared/diff/comparison-export.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { Segments } from '../../ui/segments.tsx'
import { compareInWorker } from './compare-in-worker.ts'
import { sideTitle, type ComparedSides, type Side } from './use-sides.ts'
import { saveBytes } from '../../ui/save-file.ts'

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'markdown', label: 'Markdown' },
] as const

type Format = (typeof formats)[number]['value']

const endings: Readonly<Record<Format, string>> = { text: 'txt', markdown: 'md' }

/** Characters shown of an export; copying and saving include all. */
const MAX_SHOWN = 20_000

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

interface ExportProps {
  readonly left: Side
  readonly right: Side
  readonly volatile: VolatileFields
}

function Export({ left, right, volatile }: ExportProps) {
  const [format, setFormat] = useState<Format>('text')
  const [written, setWritten] = useState<{ readonly format: Format; readonly text: string } | null>(
    null,
  )
  useEffect(() => {
    let isCurrent = true
    void write(format, { left, right, volatile }).then((text) => {
      if (isCurrent) setWritten({ format, text })
    })
    return () => {
      isCurrent = false
    }
  }, [format, left, right, volatile])
  const text = written?.format === format ? written.text : null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Segments label="Format" options={formats} value={format} onChange={setFormat} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          Without ignored fields
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
      <pre
        tabIndex={0}
        aria-label="Exported text"
        className="data h-[46vh] overflow-auto rounded-control border border-line bg-ground px-3 py-2 wrap-anywhere whitespace-pre-wrap"
      >
        {text === null ? '' : text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text}
      </pre>
    </div>
  )
}

async function write(format: Format, { left, right, volatile }: ExportProps): Promise<string> {
  const parts: ComparisonText['parts'][number][] = []
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
  const written: ComparisonText = {
    leftTitle: sideTitle(left),
    rightTitle: sideTitle(right),
    parts,
  }
  return format === 'text' ? writeText(written) : writeMarkdown(written)
}
