/** The steps of the quick tour. A step is done once the app shows it. */
import type { AppState } from '../../ui-state/store.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

export interface TourStep {
  readonly title: string
  readonly about: string
  readonly result: string
  readonly isDone: (state: AppState) => boolean
  /** Returns the step's actions, the suggested one first. */
  readonly actions: (handler: SavedHandler | null) => readonly TourAction[]
}

export interface TourAction {
  readonly label: string
  readonly run: (state: AppState) => unknown
}

const FLOW = 'purchase-visa'

function showsSignature({ navigation, list }: AppState, verdict: 'valid' | 'invalid'): boolean {
  const { id, tab } = navigation.at.deliveries
  const row = list.rows.rows.get(list.selectedSeq ?? 0)
  return (
    navigation.screen === 'deliveries' &&
    tab === 'signature' &&
    row?.id === id &&
    row?.verdict === verdict
  )
}

export const tourSteps: readonly TourStep[] = [
  {
    title: 'Send a sample',
    about:
      'The sandbox on this computer acts as the service. It sends a signed transaction.auth over HTTPS, to a hook that Countersign adds for you.',
    result:
      'The delivery arrived. Countersign stored its exact bytes, verified its signature and returned 200.',
    isDone: ({ core }) => (core.status?.store.deliveries ?? 0) > 0,
    actions: () => [{ label: 'Send sample', run: ({ list }) => list.sendSample() }],
  },
  {
    title: 'Read the signature',
    about:
      "The service signs every delivery with the hook's secret. The Signature tab computes the signature step by step.",
    result:
      "Valid: body, URL and timestamp, hashed twice with the hook's secret, match the signature received. Anyone can send requests to your URL, but only someone with the secret can sign them.",
    isDone: (state) => showsSignature(state, 'valid'),
    actions: () => [{ label: 'Open signature', run: ({ tour }) => tour.openValid() }],
  },
  {
    title: 'Break it',
    about: 'Send the delivery again, with one character of its body changed after signing.',
    result:
      'Invalid: the signature no longer matches the body. The diagnosis tries other secrets, URLs and signing methods. None fits, so the body was probably changed.',
    isDone: (state) => showsSignature(state, 'invalid'),
    actions: () => [
      { label: 'Change one character and resend', run: ({ tour }) => tour.sendAltered() },
    ],
  },
  {
    title: 'Replay it to your handler',
    about:
      'A replay sends a stored delivery with a fresh signature, as often as you need while you write your code. Without a handler, it arrives here again.',
    result: 'Sent. History shows the response.',
    isDone: ({ core }) =>
      core.replays?.some(({ state, tamper }) => state === 'done' && tamper === null) === true,
    actions: (handler) =>
      handler === null
        ? [
            {
              label: 'Add handler…',
              run: ({ handlers }) => handlers.edit({}),
            },
            { label: 'Replay without handler', run: ({ tour }) => tour.replayValid() },
          ]
        : [{ label: `Replay to ${handlerRef(handler)}`, run: ({ tour }) => tour.replayValid() }],
  },
  {
    title: 'Run a flow',
    about:
      'A flow triggers events in an isolated sandbox and checks the deliveries they cause: here a purchase, from the payment to the clearing two days later.',
    result:
      'Each step shows what was expected and what happened. With a handler set, a flow checks its responses, too.',
    isDone: ({ navigation, data }) =>
      navigation.screen === 'flows' &&
      data
        .cachedOutput('flows.runs', ALL_FLOW_RUNS)
        ?.runs.some(({ flow, state }) => flow === FLOW && state === 'done') === true,
    actions: () => [
      {
        label: 'Run the purchase flow',
        run: ({ flows }) => flows.openAndRun(FLOW),
      },
    ],
  },
]

/** Returns why nothing can arrive; null if it can. */
export function obstacleOf({
  core: { status, connection },
}: Pick<AppState, 'core'>): string | null {
  if (connection.phase !== 'open' || status === null)
    return "The window isn't connected. The tour continues when it reconnects."
  const { state, problem } = status.receiver
  if (state === 'listening') return null
  if (state === 'paused')
    return 'Capture is paused: the receiver would return 503 and store nothing.'
  return `The receiver isn't listening. ${problem ?? 'This instance runs without a receiver.'}`
}
