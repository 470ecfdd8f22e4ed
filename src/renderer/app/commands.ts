/** What the palette offers: places, commands, hooks, and a delivery by its id. */
import { shownEventTypes } from '../../shared/service/event-type.ts'
import { walkOfferWords } from '../features/first-walk/index.ts'
import { wordsOfRun } from '../features/flows/index.ts'
import type { AppState } from '../state/store.ts'

export interface PaletteItem {
  readonly value: string
  readonly label: string
  readonly note?: string
  readonly keys?: string
  run(): void
}

export interface PaletteGroup {
  readonly value: string
  readonly items: readonly PaletteItem[]
}

/** The groups for what is typed; filtering by the words is the palette's. */
export function paletteGroups(state: AppState, typed: string): readonly PaletteGroup[] {
  const paused = state.status?.receiver.state === 'paused'
  const places: PaletteItem[] = [
    {
      value: 'go-deliveries',
      label: 'Go to Deliveries',
      keys: 'g d',
      run: () => {
        state.go('deliveries')
      },
    },
    {
      value: 'go-compare',
      label: 'Go to Compare',
      keys: 'g c',
      run: () => {
        state.go('compare')
      },
    },
    {
      value: 'go-forward',
      label: 'Go to Forward',
      run: () => {
        state.showForward(true)
        state.go('hooks')
      },
    },
    {
      value: 'go-hooks',
      label: 'Go to Hooks',
      keys: 'g h',
      run: () => {
        state.showForward(false)
        state.go('hooks')
      },
    },
    {
      value: 'go-flows',
      label: 'Go to Flows',
      keys: 'g f',
      run: () => {
        state.go('flows')
      },
    },
    {
      value: 'go-check',
      label: 'Go to Check',
      keys: 'g k',
      run: () => {
        state.go('check')
      },
    },
    {
      value: 'go-sandbox',
      label: 'Go to Sandbox',
      keys: 'g s',
      run: () => {
        state.go('sandbox')
      },
    },
    {
      value: 'go-settings',
      label: 'Go to Settings',
      keys: 'g ,',
      run: () => {
        state.go('settings')
      },
    },
  ]
  const commands: PaletteItem[] = [
    ...walkItems(state),
    { value: 'sample', label: 'Send a sample', note: 'from the sandbox', run: () => void state.sendSample() },
    ...replayItems(state),
    { value: 'capture', label: paused ? 'Resume capture' : 'Pause capture', run: () => void state.pauseOrResume(!paused) },
    {
      value: 'register',
      label: 'Register a hook…',
      run: () => {
        state.openOverlay('register-hook')
      },
    },
    {
      value: 'import',
      label: 'Import a hook…',
      run: () => {
        state.openOverlay('import-hook')
      },
    },
    ...shrinkItems(state),
    ...sandboxItems(state),
    {
      value: 'newest',
      label: 'Jump to the newest delivery',
      keys: 'n',
      run: () => {
        state.go('deliveries')
        state.jumpToNewest()
      },
    },
    {
      value: 'follow',
      label: state.follow ? 'Stop following the newest' : 'Follow the newest',
      keys: 'f',
      run: () => {
        state.setFollow(!state.follow)
      },
    },
    {
      value: 'invalid',
      label: 'Show invalid deliveries',
      note: 'is:invalid',
      run: () => {
        state.go('deliveries')
        state.setDraft('is:invalid')
      },
    },
    {
      value: 'clear',
      label: 'Clear the filter',
      run: () => {
        state.clearQuery()
      },
    },
    {
      value: 'mark',
      label: state.filterMode === 'mark' ? 'Hide what does not match the filter' : 'Mark what matches the filter, hide nothing',
      keys: 'm',
      run: () => {
        state.go('deliveries')
        state.setFilterMode(state.filterMode === 'mark' ? 'hide' : 'mark')
      },
    },
    ...(state.filter === ''
      ? []
      : [
          {
            value: 'save-view',
            label: 'Save this search…',
            note: state.filter,
            run: () => {
              state.openOverlay('save-view')
            },
          },
        ]),
    ...(state.views.length === 0
      ? []
      : [
          {
            value: 'saved-views',
            label: 'Edit the saved views…',
            run: () => {
              state.openOverlay('saved-views')
            },
          },
        ]),
    {
      value: 'export',
      label: state.filter === '' ? 'Export all deliveries…' : 'Export what the filter finds…',
      run: () => {
        state.openExport({ query: state.filter, ids: null })
      },
    },
    ...(state.chosen().length === 0
      ? []
      : [
          {
            value: 'export-chosen',
            label: 'Export the chosen deliveries…',
            run: () => {
              state.openExport({ query: '', ids: state.chosen().map(({ id }) => id) })
            },
          },
        ]),
    {
      value: 'clear-shown',
      label: state.filter === '' ? 'Delete all deliveries that are not pinned' : 'Delete what the filter finds and is not pinned',
      keys: 'Mod+Shift+Backspace',
      run: () => void state.clearShown(),
    },
    {
      value: 'pinned',
      label: 'Show pinned deliveries',
      note: 'is:pinned',
      run: () => {
        state.go('deliveries')
        state.setDraft('is:pinned')
      },
    },
    {
      value: 'theme-dark',
      label: 'Dark theme',
      run: () => {
        state.setPreference('theme', 'dark')
      },
    },
    {
      value: 'theme-light',
      label: 'Light theme',
      run: () => {
        state.setPreference('theme', 'light')
      },
    },
    {
      value: 'theme-system',
      label: 'Theme of the system',
      run: () => {
        state.setPreference('theme', 'system')
      },
    },
    {
      value: 'density',
      label: state.density === 'compact' ? 'Comfortable rows' : 'Compact rows',
      run: () => {
        state.setPreference('density', state.density === 'compact' ? 'comfortable' : 'compact')
      },
    },
    {
      value: 'shortcuts',
      label: 'Keyboard shortcuts',
      keys: '?',
      run: () => {
        state.openOverlay('shortcuts')
      },
    },
  ]
  const views: PaletteItem[] = state.views.map((view) => ({
    value: `view-${view.id}`,
    label: view.name,
    note: view.query,
    run: () => {
      state.go('deliveries')
      state.setDraft(view.query)
    },
  }))
  const hooks: PaletteItem[] = state.hooks.map((hook) => ({
    value: `hook-${hook.id}`,
    label: `Deliveries of ${hook.event}`,
    note: hook.url,
    run: () => {
      state.go('deliveries')
      state.setDraft(`event:${hook.event}`)
    },
  }))
  const id = typed.trim()
  const byId: PaletteItem[] = looksLikeId(id)
    ? [
        {
          value: `delivery-${id}`,
          label: `Open the delivery ${id}`,
          run: () => {
            state.go('deliveries')
            void state.goToDelivery(id)
          },
        },
      ]
    : []
  return [
    { value: 'Delivery', items: byId },
    { value: 'Places', items: places },
    { value: 'Commands', items: commands },
    { value: 'Views', items: views },
    { value: 'Flows', items: flowItems(state) },
    { value: 'Hooks', items: hooks },
  ].filter((group) => group.items.length > 0)
}

/** Sending again: what is chosen, what the filter finds, and what became of it. */
function replayItems(state: AppState): readonly PaletteItem[] {
  const rows = state.chosen().toSorted((one, other) => one.seq - other.seq)
  const what = rows.length === 1 ? 'the delivery' : `the ${rows.length} selected`
  const running = (state.replayJobs ?? []).filter((job) => job.state === 'running')
  const chosen: PaletteItem[] = [
    { value: 'replay', label: `Replay ${what}`, keys: 'r', run: () => void state.replayAgain(rows) },
    {
      value: 'replay-compose',
      label: `Replay ${what} with changes…`,
      keys: 'R',
      run: () => {
        state.composeReplay({ kind: 'rows', rows })
      },
    },
  ]
  return [
    ...(rows.length === 0 ? [] : chosen),
    {
      value: 'replay-filter',
      label: state.filter === '' ? 'Replay all deliveries…' : 'Replay what the filter finds…',
      note: state.filter,
      run: () => {
        state.composeReplay({ kind: 'query', query: state.filter })
      },
    },
    {
      value: 'replays',
      label: 'Show replays',
      note: 'what was sent again',
      keys: 'g r',
      run: () => {
        state.showReplays(null)
      },
    },
    ...(running.length === 0
      ? []
      : [
          {
            value: 'cancel-replays',
            label: 'Cancel the replay that goes on',
            keys: 'Mod+.',
            run: () => void state.cancelReplays(),
          },
        ]),
  ]
}

/** The first walk: to take it, to go on with it, or to leave it. */
function walkItems(state: AppState): readonly PaletteItem[] {
  const walk = state.settings.firstWalk
  if (walk?.shown === true) return [{ value: 'leave-walk', label: 'Leave the first walk', run: () => void state.leaveWalk() }]
  return [{ value: 'walk', label: walkOfferWords(walk), run: () => void state.beginWalk() }]
}

const RECENT_RUNS = 5

/** Each flow, to be run; and the last runs of the built-in ones, to be looked at. */
function flowItems(state: AppState): readonly PaletteItem[] {
  const flows = (state.flows ?? []).map(({ name, title }): PaletteItem => ({
    value: `flow-${name}`,
    label: `Run flow: ${title}`,
    note: name,
    run: () => {
      state.go('flows')
      void state.runFlow(name)
    },
  }))
  const recent = (state.flowRuns ?? []).filter(({ origin }) => origin === null).slice(0, RECENT_RUNS)
  const runs = recent.map((run): PaletteItem => ({
    value: `flow-run-${run.id}`,
    label: `Show run: ${run.title}`,
    note: wordsOfRun(run),
    run: () => {
      state.go('flows')
      void state.openFlow(run.flow).then(() => state.showFlowRun(run.id))
    },
  }))
  return [...runs, ...flows]
}

/** What can be done with the delivery that is looked at. */
function shrinkItems({ shown, openShrink }: AppState): readonly PaletteItem[] {
  if (shown === null || shown.delivery.bodySize === 0) return []
  const { delivery } = shown
  return [{ value: 'shrink', label: 'Shrink the body of this delivery…', run: () => void openShrink(delivery) }]
}

/** What the sandbox can be asked for from anywhere, where one runs. */
function sandboxItems(state: AppState): readonly PaletteItem[] {
  if (state.status === null || state.status.sandbox === null) return []
  const events = shownEventTypes.map((event): PaletteItem => ({
    value: `trigger-${event}`,
    label: `Trigger ${event}…`,
    run: () => {
      state.go('sandbox')
      state.prepareTrigger({ event })
    },
  }))
  const jump = (hours: number): PaletteItem => ({
    value: `jump-${hours}`,
    label: `Jump the sandbox’s clock ${hours} h ahead`,
    run: () => void state.changeClock({ action: 'jump', ms: hours * 3_600_000 }),
  })
  return [
    ...events,
    jump(24),
    jump(72),
    {
      value: 'sandbox-log',
      label: 'Show what the sandbox sent',
      run: () => {
        state.go('sandbox')
        state.showSandbox('log')
      },
    },
  ]
}

/** A whole id: long, and nothing but letters, digits and dashes. */
export function looksLikeId(text: string): boolean {
  return text === 'latest' || /^(?=.*\d)[0-9A-Za-z-]{12,}$/.test(text)
}
