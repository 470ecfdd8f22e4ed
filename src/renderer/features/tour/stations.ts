/**
 * The stations of the quick tour as data: their texts, their actions, and how to tell that they are done. Nothing depends on
 * whether the tour's button or the user did it elsewhere in the app.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { walkStations, type WalkStation } from '../../../shared/model/first-walk.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import type { TourPlace } from '../../ui/tour-place.ts'

/** What the tour knows about the app. */
export interface TourFacts {
  /** Both tour hooks are registered and point to the receiver's current URL. */
  readonly hooksReady: boolean
  /** The hook to point at. */
  readonly hookId: string | null
  /** The tour's first valid `transaction.auth`. */
  readonly auth: DeliveryRow | null
  /** The altered delivery. */
  readonly altered: DeliveryRow | null
  readonly clearing: DeliveryRow | null
  /** Everything opened during the tour: ids of deliveries, and `purchase` for the lifecycle. */
  readonly seen: readonly string[]
  /** Number of other items that depend on the sandbox clock. */
  readonly othersWait: number
}

export type TourAct =
  'register' | 'pay' | 'open-auth' | 'alter' | 'open-altered' | 'leap' | 'open-purchase'

export interface TourStep {
  readonly act: TourAct
  readonly label: string
  readonly what: string
  readonly done: (facts: TourFacts) => boolean
  /** The part of the screen it is about. */
  readonly target: (facts: TourFacts) => TourPlace
}

interface Station {
  readonly title: string
  readonly why: string
  /** Prerequisites. Missing ones come first, even if earlier stations were skipped. */
  readonly needs: readonly TourStep[]
  readonly steps: readonly TourStep[]
  /** Shown once all steps are done. */
  readonly end: {
    readonly what: string
    readonly why?: string
    readonly target: (facts: TourFacts) => TourPlace | null
  }
  readonly next: string
  /** Continues automatically after the last step, because the next station is about the same thing. */
  readonly movesOn?: true
}

function rowOf(row: DeliveryRow | null): TourPlace {
  return row === null ? 'list' : `delivery-${row.seq}`
}

const register: TourStep = {
  act: 'register',
  label: 'Register hooks',
  what: "A hook is a URL registered for one event, with its own secret. You'll register two: one for a payment and one for its clearing.",
  done: ({ hooksReady }) => hooksReady,
  target: () => 'hooks-heading',
}

const pay: TourStep = {
  act: 'pay',
  label: 'Make a payment',
  what: 'A cardholder pays with a linked card. The service immediately sends transaction.auth to your hook.',
  done: ({ auth }) => auth !== null,
  target: () => 'list',
}

export const stations: Readonly<Record<WalkStation, Station>> = {
  picture: {
    title: "What you'll see",
    why: "This isn't a recording: the sandbox on this computer acts as the service and signs deliveries the same way.",
    needs: [],
    steps: [],
    end: {
      what: 'You register a hook, a cardholder pays, and two days later the payment clears. Each event arrives here as a signed webhook.',
      target: () => null,
    },
    next: 'Start',
  },
  hook: {
    title: 'Hooks',
    why: "Without a hook, the service sends nothing. Without its secret, you can't verify signatures.",
    needs: [],
    steps: [register],
    end: {
      what: 'Both hooks are registered in the sandbox and point to this computer: transaction.auth and transaction.clearing.',
      target: ({ hookId }) => (hookId === null ? null : 'selected-hook'),
    },
    next: 'Next: a payment',
  },
  payment: {
    title: 'A cardholder pays',
    why: 'The auth event arrives within seconds, so your app can react while the customer is still in the shop.',
    needs: [register],
    steps: [
      pay,
      {
        act: 'open-auth',
        label: 'Open delivery',
        what: 'The delivery arrived over HTTPS. Its exact bytes are stored, its signature is verified, and the receiver returned 200.',
        done: ({ auth, seen }) => auth !== null && seen.includes(auth.id),
        target: ({ auth }) => rowOf(auth),
      },
    ],
    end: {
      what: "The payment has arrived and you've opened it.",
      target: ({ auth }) => rowOf(auth),
    },
    next: 'Next: its signature',
    movesOn: true,
  },
  signature: {
    title: 'The signature',
    why: 'Anyone can send requests to your URL. Only someone with the secret can sign them.',
    needs: [register, pay],
    steps: [
      {
        act: 'alter',
        label: 'Change one character and resend',
        what: "Valid: body, URL and timestamp, hashed twice with the hook's secret, match the signature received.",
        done: ({ altered }) => altered !== null,
        target: () => 'verdict',
      },
      {
        act: 'open-altered',
        label: 'Open delivery',
        what: 'It arrived again, with one character of its body changed after signing.',
        done: ({ altered, seen }) => altered !== null && seen.includes(altered.id),
        target: ({ altered }) => rowOf(altered),
      },
    ],
    end: {
      what: 'Invalid: one character of the body was changed after signing, so the signature no longer matches.',
      why: 'The diagnosis tries other secrets, URLs and signing methods. None fits, so the body was probably changed.',
      target: () => 'diagnosis',
    },
    next: 'Next: two days later',
  },
  clearing: {
    title: 'Two days later',
    why: "The clearing has the same ID as the auth: it's the same purchase, now settled. Don't count it twice.",
    needs: [register, pay],
    steps: [
      {
        act: 'leap',
        label: 'Advance to the clearing',
        what: "Payments settle 48–72 hours later. You don't have to wait: advance the sandbox clock.",
        done: ({ clearing }) => clearing !== null,
        target: () => 'sandbox-clock',
      },
      {
        act: 'open-purchase',
        label: 'Show purchase',
        what: 'transaction.clearing arrived for the same transaction.',
        done: ({ clearing, seen }) => clearing !== null && seen.includes('purchase'),
        target: ({ clearing }) => rowOf(clearing),
      },
    ],
    end: {
      what: 'The complete purchase: paid, then cleared two to three days later, in sandbox time and real time.',
      target: () => 'lifecycle',
    },
    next: 'Next steps',
  },
  next: {
    title: 'A verified purchase',
    why: 'Keep or remove what the tour created: two hooks and their deliveries.',
    needs: [],
    steps: [],
    end: {
      what: "You've seen a hook, a valid delivery, an invalid one, and a purchase from payment to clearing.",
      target: () => null,
    },
    next: 'Finish and keep',
  },
}

/** What to do now. `step` is null if the station is done. */
export interface TourMoment {
  readonly step: TourStep | null
  readonly what: string
  readonly why: string
  readonly label: string
  readonly target: TourPlace | null
}

/** The text of a station for the current facts: missing prerequisites first, then its steps in order, then its end. */
export function momentOf(name: WalkStation, facts: TourFacts): TourMoment {
  const station = stations[name]
  const missing = station.needs.find(({ done }) => !done(facts))
  if (missing !== undefined) {
    const { label } = missing
    const what = missing.act === 'pay' ? 'This step needs a payment.' : missing.what
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
      what: "Payments settle 48–72 hours later. Other pending items depend on the sandbox clock, so the tour doesn't advance it.",
      why: station.why,
      label: 'Send clearing now',
      target: null,
    }
  return { step, what: step.what, why: station.why, label: step.label, target: step.target(facts) }
}

/** The next or previous station; the first and last have no further ones. */
export function stationAfter(name: WalkStation, by: 1 | -1): WalkStation {
  const at = Math.min(Math.max(walkStations.indexOf(name) + by, 0), walkStations.length - 1)
  return walkStations[at] ?? name
}

/** Starting at 1. */
export function stationNumber(name: WalkStation): number {
  return walkStations.indexOf(name) + 1
}

export interface TourTrouble {
  readonly title: string
  readonly message: string
  /** The action that fixes it; null if it must be fixed elsewhere. */
  readonly act: 'resume' | 'register' | null
  readonly label: string | null
}

interface TourSurroundings {
  readonly status: Pick<AppStatus, 'receiver' | 'sandbox' | 'store'> | null
  readonly connected: boolean
  /** A tour hook points to a URL where the receiver no longer listens. */
  readonly hookMoved: boolean
}

/** The problem that blocks a station, or null. The first and last stations send nothing, so nothing blocks them. */
export function troubleOf(
  station: WalkStation,
  { status, connected, hookMoved }: TourSurroundings,
): TourTrouble | null {
  if (station === 'picture' || station === 'next') return null
  const elsewhere = { act: null, label: null }
  if (!connected || status === null)
    return {
      title: "The window isn't connected.",
      message: 'Reconnecting automatically. The tour continues then.',
      ...elsewhere,
    }
  const { receiver, sandbox, store } = status
  if (receiver.state === 'paused')
    return {
      title: 'Capture paused.',
      message: 'The receiver would return 503 and store nothing. Resume capture to continue.',
      act: 'resume',
      label: 'Resume capture',
    }
  if (receiver.state !== 'listening')
    return {
      title: "The receiver isn't listening.",
      message: `${receiver.problem ?? 'This instance runs without a receiver.'} Fix this and restart Countersign to continue.`,
      ...elsewhere,
    }
  if (sandbox === null)
    return {
      title: "The sandbox isn't running.",
      message:
        'Restart the app to continue. If the port is in use, run "countersign serve --sandbox-port 0".',
      ...elsewhere,
    }
  if (store.state === 'failing')
    return {
      title: "Deliveries can't be stored.",
      message: `${store.problem ?? 'The last write failed.'} The tour continues after the next successful write.`,
      ...elsewhere,
    }
  if (hookMoved)
    return {
      title: "The receiver's URL changed.",
      message: "The tour's hooks still point to the old URL. Update them to continue.",
      act: 'register',
      label: 'Update hooks',
    }
  return null
}
