/** The time in UTC, in which payloads and signatures are written. */
import { useNow } from '../../ui/use-now.ts'

export function ClockScreen() {
  return (
    <main className="p-5">
      <h1 className="font-semibold">Clock</h1>
      <p className="data">{new Date(useNow(1_000)).toISOString()}</p>
    </main>
  )
}
