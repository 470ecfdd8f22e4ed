/** Deliveries of an export or a capture, and how many of them are done. */
import type { ExportProgress } from '../../../shared/import-export/export-pages.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import type { ExportSubject } from './transfer.ts'
import { formatCount, TransferProgress } from './transfer-progress.tsx'

/** Tells which deliveries are meant. */
export function Subject({ subject: { seqs, query } }: { readonly subject: ExportSubject }) {
  const { output } = useRead(
    'deliveries.counts',
    seqs === null ? { queries: ['is:flow OR is:composed', query], most: 10_000 } : null,
  )
  const leavesOut = (output?.counts[0]?.count ?? 0) > 0
  const matches = output?.counts[1]
  if (seqs !== null)
    return (
      <p>
        {seqs.length === 1 ? 'The selected delivery' : `The ${deliveryCount(seqs.length)} selected`}
      </p>
    )
  const count =
    matches == null || (matches.more && matches.count === 0)
      ? 'Deliveries'
      : `${matches.more ? 'At least ' : ''}${deliveryCount(matches.count)}`
  if (query === '')
    return (
      <p>
        {count}, oldest first{leavesOut ? ', without flow runs and composed requests (is:any)' : ''}
      </p>
    )
  return (
    <p className="wrap-anywhere">
      {count}, oldest first, matching{' '}
      <span className="data">
        <ExactText text={query} />
      </span>
    </p>
  )
}

export function SubjectProgress({
  subject,
  progress: { done, total },
  ...buttons
}: {
  readonly subject: ExportSubject
  readonly progress: ExportProgress
  readonly label: string
  readonly cancel: string
  readonly onCancel: () => void
}) {
  return (
    <div className="flex flex-col gap-3">
      <Subject subject={subject} />
      <TransferProgress {...buttons} value={done} max={total}>
        {total === 0 ? 'Counting…' : `${formatCount(done)} of ${deliveryCount(total)}`}
      </TransferProgress>
    </div>
  )
}
