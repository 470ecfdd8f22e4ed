/** The full-page screen for a damaged database: the problem, the repair, its progress and its result. */
import { DatabaseZap } from 'lucide-react'
import { lossOf, type RepairReport, type RepairState } from '../../../shared/model/repair.ts'
import { useApp } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'

const number = (value: number) => value.toLocaleString('en')

/** Whether the repair takes over the whole page. */
export function useRepairShown(): boolean {
  return useApp(
    ({ repair: { state: repair, closed: repairClosed } }) =>
      repair.phase !== 'idle' && !repairClosed,
  )
}

/** Shown above a window that still works, if some database pages are damaged. */
export function DamageBanner() {
  const store = useApp((state) => state.core.status?.store)
  const start = useApp((state) => state.repair.start)
  if (store?.state !== 'damaged') return null
  return (
    <Banner
      tone="bad"
      title="The database is damaged."
      action={<Button onClick={() => void start()}>Repair</Button>}
    >
      Deliveries on undamaged pages can still be read. Senders get a 503 during the repair.
    </Banner>
  )
}

const titles: Readonly<Record<RepairState['phase'], string>> = {
  idle: '',
  damaged: 'The database is damaged',
  running: 'Repairing the database',
  ended: 'Repair finished',
  failed: "Couldn't repair the database",
}

function Progress({ progress }: Pick<RepairState, 'progress'>) {
  const cancel = useApp((state) => state.repair.cancel)
  const { deliveries = 0, of = null } = progress ?? {}
  return (
    <>
      <p className="mt-1 text-muted">
        Deliveries get a 503 until the repair ends, so senders retry. The damaged file is kept.
      </p>
      <ProgressBar
        className="mt-4"
        label="Repair"
        value={Math.min(deliveries, of ?? deliveries)}
        max={of ?? Math.max(1, deliveries * 2)}
      />
      <p className="mt-2" role="status">
        {number(deliveries)}
        {of === null ? '' : ` of ${number(of)}`} deliveries recovered
      </p>
      <Button className="mt-4" onClick={() => void cancel()}>
        Cancel
      </Button>
    </>
  )
}

function Report(report: RepairReport) {
  const { outcome, setAside, parts, lostDeliveries, lostBodies } = report
  if (outcome === 'cancelled')
    return <p className="mt-1 text-muted">Cancelled. Nothing was changed.</p>
  if (outcome === 'sound')
    return <p className="mt-1 text-muted">No damage found. Nothing was changed.</p>
  return (
    <>
      <p className="mt-1 text-muted">
        The damaged file was renamed to <span className="data break-all">{setAside}</span>
      </p>
      <table className="mt-4 w-full">
        <thead className="text-left text-muted">
          <tr>
            <th scope="col" className="font-normal">
              Stored
            </th>
            <th scope="col" className="text-right font-normal">
              Recovered
            </th>
            <th scope="col" className="text-right font-normal">
              Lost
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.name} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-normal first-letter:uppercase">
                {part.name}
              </th>
              <td className="text-right tabular-nums">{number(part.recovered)}</td>
              <td
                className={`text-right tabular-nums ${lossOf(part, report) === '0' ? '' : 'text-bad'}`}
              >
                {lossOf(part, report)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lostBodies.length > 0 && (
        <p className="mt-3">
          Without their body: <span className="data break-all">{lostBodies.join(' ')}</span>
        </p>
      )}
      {lostDeliveries.length > 0 && (
        <p className="mt-3">
          Lost: <span className="data break-all">{lostDeliveries.join(' ')}</span>
        </p>
      )}
    </>
  )
}

export function RepairScreen() {
  const { phase, problem, progress, report } = useApp((state) => state.repair.state)
  const start = useApp((state) => state.repair.start)
  const close = useApp((state) => state.repair.close)
  const isOpen = useApp(
    (state) => state.core.status !== null && state.core.status.store.state !== 'damaged',
  )
  return (
    <main className="flex h-full items-start justify-center overflow-auto bg-ground px-6 py-[12vh]">
      <div className="w-full max-w-[560px]">
        <DatabaseZap size={28} className="text-muted" aria-hidden />
        <h1 className="mt-4 text-display font-medium">{titles[phase]}</h1>
        {problem !== null && phase !== 'running' && (
          <p className="mt-1 break-words text-muted">{problem}</p>
        )}
        {phase === 'running' && <Progress progress={progress} />}
        {(phase === 'damaged' || phase === 'failed') && (
          <>
            <p className="mt-3 text-muted">
              Repair reads everything it can into a new file and keeps the damaged one under another
              name. Deliveries get a 503 until then.
            </p>
            <Button kind="primary" className="mt-4" onClick={() => void start()}>
              {phase === 'failed' ? 'Try again' : 'Repair'}
            </Button>
          </>
        )}
        {phase === 'ended' && report !== null && <Report {...report} />}
        {(phase === 'ended' || (phase === 'failed' && isOpen)) && (
          <Button kind={phase === 'ended' ? 'primary' : 'plain'} className="mt-4" onClick={close}>
            Continue
          </Button>
        )}
      </div>
    </main>
  )
}
