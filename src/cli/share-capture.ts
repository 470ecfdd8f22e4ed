/** Writes or previews a shareable capture, and prints its replaced values. */
import { sharePages, type ShareRequest } from '../shared/import-export/export-pages.ts'
import {
  NOTHING_SHARED,
  omissionText,
  replacedWords,
  type SharingReport,
} from '../shared/model/sharing.ts'
import type { Client } from '../shared/rpc/client.ts'
import { deliveryCount } from '../shared/text/english.ts'
import type { openOutput } from './output-file.ts'
import { createProgress, right, type Output } from './print.ts'
import type { CommandRun } from './session.ts'

interface SharedCounts {
  readonly written: number
  readonly matched: number
  readonly report: SharingReport
}

/** Shares deliveries into a sink; a preview writes nothing. */
export async function shareCapture(
  run: CommandRun,
  client: Client,
  request: ShareRequest,
  sink: Pick<Awaited<ReturnType<typeof openOutput>>, 'write'> | null,
  signal: AbortSignal,
): Promise<SharedCounts> {
  const progress = createProgress(run)
  let counts: SharedCounts = { written: 0, matched: 0, report: NOTHING_SHARED }
  for await (const { text, done, total, shared, report } of sharePages(client, request, signal)) {
    if (text !== '') await sink?.write(text)
    counts = { written: shared, matched: total, report }
    progress(() => `${done.toLocaleString('en')} of ${deliveryCount(total)}`)
  }
  return counts
}

export function printPreview(output: Output, { written, report }: SharedCounts): void {
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
