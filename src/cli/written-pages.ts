/** Writes the pages of an export or a shareable capture, and prints what a capture replaces. */
import type { ExportProgress, SharedPage } from '../shared/import-export/export-pages.ts'
import {
  NOTHING_SHARED,
  omissionText,
  replacedWords,
  type SharingReport,
} from '../shared/model/sharing.ts'
import { deliveryCount } from '../shared/text/english.ts'
import type { openOutput } from './output-file.ts'
import { createProgress, right, type Output } from './print.ts'
import type { CommandRun } from './session.ts'

export interface WrittenPages {
  readonly written: number
  readonly matched: number
  readonly report: SharingReport
}

type Page = ExportProgress & Pick<SharedPage, 'text'> & Partial<SharedPage>

/** Writes pages into a sink, null for a preview. Without a match, nothing is written. */
export async function writePages(
  run: CommandRun,
  pages: AsyncIterable<Page>,
  sink: Pick<Awaited<ReturnType<typeof openOutput>>, 'write'> | null,
): Promise<WrittenPages> {
  const progress = createProgress(run)
  let counts: WrittenPages = { written: 0, matched: 0, report: NOTHING_SHARED }
  for await (const { text, done, total, shared = done, report = NOTHING_SHARED } of pages) {
    if (total === 0) break
    if (text !== '') await sink?.write(text)
    counts = { written: shared, matched: total, report }
    progress(() => `${done.toLocaleString('en')} of ${deliveryCount(total)}`)
  }
  return counts
}

export function printPreview(output: Output, { written, report }: WrittenPages): void {
  output.line(`${deliveryCount(written)} would be shared, with these values replaced:`)
  output.table(
    report.replaced.map((kind) => [right(kind.count.toLocaleString('en')), replacedWords(kind)]),
  )
  if (report.examples.length > 0) output.heading('Examples')
  output.table(report.examples.map(({ where, before, after }) => [where, before, '→', after]))
  const omitted = omissionText(report)
  if (omitted !== null) output.note(omitted)
  output.note('Nothing was written.')
}
