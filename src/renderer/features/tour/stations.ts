/**
 * The stations of the first walk as data: what each says, what there is to do, and by what one sees that it is done. Nothing here
 * depends on who did it: the walk's own button, or the user somewhere else in the app.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { walkStations, type WalkStation } from '../../../shared/model/first-walk.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import type { TourPlace } from '../../ui/tour-place.ts'

/** What the walk knows of the app. */
export interface TourFacts {
  /** Both hooks of the walk are registered, and point to the receiver as it listens now. */
  readonly hooksReady: boolean
  /** The hook that is pointed at. */
  readonly hookId: string | null
  /** The first genuine `transaction.auth` of the walk. */
  readonly auth: DeliveryRow | null
  /** The one that was changed on its way. */
  readonly altered: DeliveryRow | null
  readonly clearing: DeliveryRow | null
  /** What was looked at during the walk: ids of deliveries, and `purchase` for the lifecycle. */
  readonly seen: readonly string[]
  /** How many other things wait for the sandbox's clock. */
  readonly othersWait: number
}

export type TourAct = 'register' | 'pay' | 'open-auth' | 'alter' | 'open-altered' | 'leap' | 'open-purchase'

export interface TourStep {
  readonly act: TourAct
  readonly label: string
  readonly what: string
  readonly done: (facts: TourFacts) => boolean
  /** The part of the screen that it is about. */
  readonly target: (facts: TourFacts) => TourPlace
}

interface Station {
  readonly title: string
  readonly why: string
  /** What has to be there first; what is missing is done first, also where stations were skipped. */
  readonly needs: readonly TourStep[]
  readonly steps: readonly TourStep[]
  /** Once all steps are done. */
  readonly end: { readonly what: string; readonly why?: string; readonly target: (facts: TourFacts) => TourPlace | null }
  readonly next: string
  /** Goes on by itself when its last step is done: the next station is about just that. */
  readonly movesOn?: true
}

function rowOf(row: DeliveryRow | null): TourPlace {
  return row === null ? 'list' : `delivery-${row.seq}`
}

const register: TourStep = {
  act: 'register',
  label: 'Register the hooks',
  what: 'A hook is a URL registered for one event, with a secret of its own. Two of them are registered: for a payment, and for its clearing.',
  done: ({ hooksReady }) => hooksReady,
  target: () => 'hooks-heading',
}

const pay: TourStep = {
  act: 'pay',
  label: 'Let a card pay',
  what: 'A cardholder pays with a linked card, and the service says so at once: it sends transaction.auth to the hook.',
  done: ({ auth }) => auth !== null,
  target: () => 'list',
}

export const stations: Readonly<Record<WalkStation, Station>> = {
  picture: {
    title: 'What will happen',
    why: 'Nothing is played back: the sandbox on this machine is the service, and it signs what it sends as the real one does.',
    needs: [],
    steps: [],
    end: {
      what: 'You register a hook, a cardholder pays, and two days later the payment is cleared: each time a signed webhook arrives here.',
      target: () => null,
    },
    next: 'Start',
  },
  hook: {
    title: 'A hook',
    why: 'Without a hook the service sends nothing, and without its secret no signature can be proved.',
    needs: [],
    steps: [register],
    end: {
      what: 'Both are registered at the sandbox and point to the receiver of this machine: transaction.auth and transaction.clearing.',
      target: ({ hookId }) => (hookId === null ? null : 'selected-hook'),
    },
    next: 'Next: a payment',
  },
  payment: {
    title: 'A cardholder pays',
    why: 'The auth comes within seconds of the payment, so that your application can react while the customer is in the shop.',
    needs: [register],
    steps: [
      pay,
      {
        act: 'open-auth',
        label: 'Open it',
        what: 'It has arrived: received over HTTPS, kept with its exact bytes, its signature judged, and answered 200.',
        done: ({ auth, seen }) => auth !== null && seen.includes(auth.id),
        target: ({ auth }) => rowOf(auth),
      },
    ],
    end: { what: 'The payment has arrived, and you have opened it.', target: ({ auth }) => rowOf(auth) },
    next: 'Next: its signature',
    movesOn: true,
  },
  signature: {
    title: 'The signature',
    why: 'Anybody can send something to your URL. Only who knows the secret can sign it.',
    needs: [register, pay],
    steps: [
      {
        act: 'alter',
        label: 'Change one character and send it again',
        what: 'Valid: body, URL and timestamp, signed twice over with the hook’s secret, give exactly the signature that came.',
        done: ({ altered }) => altered !== null,
        target: () => 'verdict',
      },
      {
        act: 'open-altered',
        label: 'Open it',
        what: 'It has arrived a second time, with one character of its body changed after it was signed.',
        done: ({ altered, seen }) => altered !== null && seen.includes(altered.id),
        target: ({ altered }) => rowOf(altered),
      },
    ],
    end: {
      what: 'Invalid: one character of the body was changed after signing, and the signature no longer fits it.',
      why: '“What explains it” looks for the mistake behind it: no other secret, URL or recipe fits, so most likely the body was changed.',
      target: () => 'diagnosis',
    },
    next: 'Next: two days later',
  },
  clearing: {
    title: 'Two days later',
    why: 'The clearing has the id of the auth: it is the same purchase, now settled, and must not count twice.',
    needs: [register, pay],
    steps: [
      {
        act: 'leap',
        label: 'Leap to the clearing',
        what: 'The payment is settled 48 to 72 hours after it was made. Nobody waits for that here: the sandbox’s clock can leap.',
        done: ({ clearing }) => clearing !== null,
        target: () => 'sandbox-clock',
      },
      {
        act: 'open-purchase',
        label: 'Show the purchase',
        what: 'transaction.clearing has arrived, for the same transaction.',
        done: ({ clearing, seen }) => clearing !== null && seen.includes('purchase'),
        target: ({ clearing }) => rowOf(clearing),
      },
    ],
    end: {
      what: 'This is the purchase as a whole: paid, and cleared two to three days later, in business time and in real time.',
      target: () => 'lifecycle',
    },
    next: 'Next: where to go from here',
  },
  next: {
    title: 'A verified purchase',
    why: 'What the walk made can stay, or be removed: two hooks, and the deliveries that came to them.',
    needs: [],
    steps: [],
    end: {
      what: 'You have seen a hook, a delivery that is proved, one that is not, and a purchase from payment to clearing.',
      target: () => null,
    },
    next: 'Finish and keep it',
  },
}

/** What is to be done now. `step` null: all of the station is done. */
export interface TourMoment {
  readonly step: TourStep | null
  readonly what: string
  readonly why: string
  readonly label: string
  readonly target: TourPlace | null
}

/** What the walk says at a station, as things stand: what is missing first, then its steps in their order, then its end. */
export function momentOf(name: WalkStation, facts: TourFacts): TourMoment {
  const station = stations[name]
  const missing = station.needs.find(({ done }) => !done(facts))
  if (missing !== undefined) {
    const { label } = missing
    const what = missing.act === 'pay' ? 'This is about a payment of the walk, and there is none yet.' : missing.what
    return { step: missing, what, why: station.why, label, target: missing.target(facts) }
  }
  const step = station.steps.find(({ done }) => !done(facts))
  if (step === undefined) {
    const { what, why = station.why, target } = station.end
    return { step: null, what, why, label: station.next, target: target(facts) }
  }
  if (step.act === 'leap' && facts.othersWait > 0)
    return {
      step,
      what: 'The payment is settled 48 to 72 hours later. Other things wait for the sandbox’s clock too, so the walk leaves it alone.',
      why: station.why,
      label: 'Send the clearing now',
      target: null,
    }
  return { step, what: step.what, why: station.why, label: step.label, target: step.target(facts) }
}

/** The station so many further on; the first and the last stay themselves. */
export function stationAfter(name: WalkStation, by: 1 | -1): WalkStation {
  const at = Math.min(Math.max(walkStations.indexOf(name) + by, 0), walkStations.length - 1)
  return walkStations[at] ?? name
}

/** From 1. */
export function stationNumber(name: WalkStation): number {
  return walkStations.indexOf(name) + 1
}

export interface TourTrouble {
  readonly title: string
  readonly message: string
  /** What mends it from here; null where that has to be done elsewhere. */
  readonly act: 'resume' | 'register' | null
  readonly label: string | null
}

interface TourSurroundings {
  readonly status: Pick<AppStatus, 'receiver' | 'sandbox' | 'store'> | null
  readonly connected: boolean
  /** A hook of the walk is registered, for an address at which the receiver no longer listens. */
  readonly hookMoved: boolean
}

/** Null where nothing is the matter. The first and the last station send nothing, so nothing keeps them. */
export function troubleOf(station: WalkStation, { status, connected, hookMoved }: TourSurroundings): TourTrouble | null {
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
