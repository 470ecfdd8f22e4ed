import { AppError } from '../../../shared/contract/errors.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Replay } from '../../../shared/model/send.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { PreferencesSlice } from '../../ui-state/preferences-slice.ts'

export const TOUR_LENGTH = 5

interface TourContext {
  readonly navigation: Pick<NavigationSlice, 'go'>
  readonly preferences: Pick<PreferencesSlice, 'tour' | 'set'>
  readonly filter: { readonly applied: string; clear(): void }
  readonly core: {
    readonly status: Pick<AppStatus, 'receiver'> | null
    readonly replays: readonly Replay[] | null
  }
  readonly list: { show(row: DeliveryRow): void }
  readonly detail: {
    open(id: string, focus: boolean, tab: 'signature' | 'history'): void
  }
  readonly replay: { replayToDefault(rows: readonly DeliveryRow[]): Promise<void> }
}

/** Rows read per call, enough to get past the deliveries of a flow. */
const ROWS_READ = 100

const idle = { busy: false }

type TourTools = FeatureTools<typeof idle, TourContext>

/** Creates functions that the steps share: read deliveries, open one, await the end of a replay. */
function createStepTools({ client, app, subscribe }: TourTools) {
  /** Returns the newest matches of a query, except deliveries of flows, whose hooks are gone. */
  const read = async (query: string): Promise<DeliveryRow[]> => {
    const { rows } = await client.call('deliveries.page', { query, limit: ROWS_READ })
    return rows.filter(({ flowRun }) => flowRun === null)
  }
  const newestValid = async (): Promise<DeliveryRow> => {
    const [row] = await read('is:valid is:verified')
    if (row === undefined)
      throw new AppError('NOT_FOUND', 'No valid delivery found. Send a sample first.')
    return row
  }
  /** Opens a delivery without taking the focus from the tour. */
  const open = (row: DeliveryRow, tab: 'signature' | 'history') => {
    const { navigation, filter, detail, list } = app()
    navigation.go('deliveries')
    // A filter could hide the row.
    if (filter.applied !== '') filter.clear()
    list.show(row)
    detail.open(row.id, false, tab)
  }
  const replayEnd = (replayId: string) =>
    new Promise<void>((resolve) => {
      const check = ({ core }: TourContext) => {
        if (core.replays?.some(({ id, state }) => id === replayId && state !== 'running') !== true)
          return
        stop()
        resolve()
      }
      const stop = subscribe(check)
      check(app())
    })
  return { read, newestValid, open, replayEnd }
}

export function createTourSlice(tools: TourTools) {
  const { client, act, notify, set, app } = tools
  const { read, newestValid, open, replayEnd } = createStepTools(tools)
  const busy = (isBusy: boolean) => set({ busy: isBusy })

  const actions = {
    /** Starts the tour, or continues an unfinished one. */
    begin() {
      const { tour, set: put } = app().preferences
      const step = tour === null || tour.step >= TOUR_LENGTH ? 0 : tour.step
      put('tour', { step, shown: true })
    },
    /** Goes to a step by index; an index past the last ends the tour. */
    goTo(step: number) {
      app().preferences.set('tour', { step, shown: step < TOUR_LENGTH })
    },
    /** Hides the tour, keeping its step; returns false if it isn't shown. */
    leave() {
      const { tour, set: put } = app().preferences
      if (tour?.shown !== true) return false
      put('tour', { ...tour, shown: false })
      notify({
        tone: 'ok',
        title: 'You left the quick tour',
        message: 'Continue any time where you left off.',
        action: { label: 'Continue', run: actions.begin },
      })
      return true
    },
    async openValid() {
      const row = await act("Couldn't open the signature", () => newestValid(), { busy })
      if (row !== undefined) open(row, 'signature')
    },
    /**
     * Sends the newest valid delivery with one character changed after signing, and opens what
     * arrives.
     */
    async sendAltered() {
      const send = async () => {
        const { id, path } = await newestValid()
        const url = app().core.status?.receiver.url
        if (url === undefined || url === null)
          throw new AppError(
            'RECEIVER_FAILED',
            "The receiver isn't running. Start it, then try again.",
          )
        const [latest] = await read('')
        // Sent to this receiver, so that the delivery that arrives shows the diagnosis.
        const to = `${url}${path ?? '/'}`
        const { replay } = await client.call('replay.start', { ids: [id], to, tamper: 'body' })
        await replayEnd(replay.id)
        const row = (await read('is:invalid')).find(({ seq }) => seq > (latest?.seq ?? 0))
        if (row === undefined)
          throw new AppError('NOT_FOUND', "The changed delivery didn't arrive. Try again.")
        return row
      }
      const row = await act("Couldn't send the changed delivery", send, { busy })
      if (row !== undefined) open(row, 'signature')
    },
    /** Replays the newest valid delivery like the key `R`, and shows its replays. */
    async replayValid() {
      const row = await act("Couldn't replay", () => newestValid(), { busy })
      if (row === undefined) return
      open(row, 'history')
      await app().replay.replayToDefault([row])
    },
  }
  return { ...idle, ...actions }
}
