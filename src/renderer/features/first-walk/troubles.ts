/** What keeps the walk from going on, in plain words, and what to do about it. It goes on by itself once that is mended. */
import type { WalkStation } from '../../../shared/model/first-walk.ts'
import type { AppStatus } from '../../../shared/model/status.ts'

export interface WalkTrouble {
  readonly title: string
  readonly message: string
  /** What mends it from here; null where that has to be done elsewhere. */
  readonly act: 'resume' | 'register' | null
  readonly label: string | null
}

export interface WalkSurroundings {
  readonly status: Pick<AppStatus, 'receiver' | 'sandbox' | 'store'> | null
  readonly connected: boolean
  /** A hook of the walk is registered, for an address at which the receiver no longer listens. */
  readonly hookMoved: boolean
}

/** Null where nothing is the matter. The first and the last station send nothing, so nothing keeps them. */
export function troubleOf(station: WalkStation, { status, connected, hookMoved }: WalkSurroundings): WalkTrouble | null {
  if (station === 'picture' || station === 'next') return null
  const elsewhere = { act: null, label: null }
  if (!connected || status === null)
    return {
      title: 'The window is not connected.',
      message: 'It tries again by itself, and the walk goes on then.',
      ...elsewhere,
    }
  const { receiver, sandbox, store } = status
  if (receiver.state === 'paused')
    return {
      title: 'Capture is paused.',
      message: 'What the sandbox sends now would be answered 503 and not kept. Resume, and the walk goes on.',
      act: 'resume',
      label: 'Resume capture',
    }
  if (receiver.state !== 'listening')
    return {
      title: 'The receiver is not listening.',
      message: `${receiver.problem ?? 'This instance runs without one.'} Mend that and start Countersign again: the walk goes on here.`,
      ...elsewhere,
    }
  if (sandbox === null)
    return {
      title: 'The sandbox is not running.',
      message:
        'There is no service to send anything. Open the app anew, or start it with “countersign serve --sandbox-port 0” where the port is taken: the walk goes on here.',
      ...elsewhere,
    }
  if (store.state === 'failing')
    return {
      title: 'Deliveries cannot be stored.',
      message: `${store.problem ?? 'The last write failed.'} Once a write succeeds the walk goes on.`,
      ...elsewhere,
    }
  if (hookMoved)
    return {
      title: 'The receiver has another address now.',
      message: 'The hooks of the walk still point to the one before. Point them here, and the walk goes on.',
      act: 'register',
      label: 'Point them here',
    }
  return null
}
