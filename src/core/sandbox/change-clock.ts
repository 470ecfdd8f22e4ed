/** Moves the clock of the sandbox as `sandbox.setClock` asks. */
import { assertNever } from '../../shared/contract/errors.ts'
import type { SandboxClockChange, SandboxClockState } from '../../shared/model/sandbox-clock.ts'
import type { SandboxClock } from './sandbox-clock.ts'

/** Resolves with where the clock then stands; rejects with `INVALID_INPUT` for a time in its past or a speed that it cannot run at. */
export async function changeClock(clock: SandboxClock, change: SandboxClockChange): Promise<SandboxClockState> {
  switch (change.action) {
    case 'set':
      await clock.set(Date.parse(change.time))
      break
    case 'jump':
      await clock.jump(change.ms)
      break
    case 'speed':
      await clock.setSpeed(change.speed)
      break
    case 'pause':
      await clock.pause()
      break
    case 'resume':
      await clock.resume()
      break
    case 'reset':
      await clock.reset()
      break
    default:
      assertNever(change)
  }
  return clock.state()
}
